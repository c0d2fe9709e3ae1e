// The everyday import: the core, its formats, the console and files.
@_exported public import LogbookConsole
@_exported public import LogbookCore
@_exported public import LogbookFiles
@_exported public import LogbookFormat
