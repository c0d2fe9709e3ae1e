// Secrets, headers, conditions and delivery policies are part of this room's face: whoever imports it has their names.
@_exported public import LogbookCore
@_exported public import LogbookDelivery
@_exported public import LogbookHTTP
