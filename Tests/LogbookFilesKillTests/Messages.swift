#if canImport(Glibc)
    import LogbookCore
    import LogbookFormat

    struct Messages: LogFormat {
        func append(_ event: LogEvent, to bytes: inout [UInt8]) {
            bytes += Array(event.message.utf8)
            bytes.append(0x0A)
        }
    }
#endif
