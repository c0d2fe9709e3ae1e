@_exported public import Logbook
@_exported public import LogbookTracking
