#if Collector
    internal import ArgumentParser

    Terminal.holdClosedStreams()
    LogbookCommand.main()
#else
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    Terminal.say("logbook: built without the trait Collector; build it again with: swift build --traits Collector\n")
    exit(64)
#endif
