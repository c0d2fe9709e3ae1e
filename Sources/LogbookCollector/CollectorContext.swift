#if Collector
    internal import Hummingbird
    internal import NIOCore

    /// What Hummingbird knows of a request, and where it came from.
    struct CollectorContext: RequestContext {
        var coreContext: CoreRequestContextStorage
        /// Of the other side, without its port; empty when it is not known.
        let address: String

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            address = source.channel.remoteAddress?.ipAddress ?? ""
        }
    }
#endif
