// Who tests a provider speaks of services, events and clocks all the time: one import brings them.
@_exported public import LogbookCore
