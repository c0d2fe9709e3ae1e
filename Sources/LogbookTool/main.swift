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
fputs("logbook: built without the trait Collector; build it again with: swift build --traits Collector\n", stderr)
exit(64)
#endif
