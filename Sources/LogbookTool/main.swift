#if Collector
internal import ArgumentParser

LogbookCommand.main()
#else
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
let remedy = Array("logbook: built without the trait Collector; build it again with: swift build --traits Collector\n".utf8)
_ = write(STDERR_FILENO, remedy, remedy.count)
exit(64)
#endif
