// Conditions and delivery policies are part of this room's face: whoever imports it has their names.
@_exported public import LogbookDelivery
