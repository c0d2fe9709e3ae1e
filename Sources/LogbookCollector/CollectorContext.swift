#if Collector
    internal import Hummingbird
    internal import NIOCore

    /// What Hummingbird knows of a request, and where it came from.
    struct CollectorContext: RequestContext {
        var coreContext: CoreRequestContextStorage
        /// Of the other side, as far as senders are told apart; empty when it is not known.
        let address: String
        /// Over which the request came.
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            channel = source.channel
            address = source.channel.remoteAddress?.ipAddress.map { SenderAddress($0).name } ?? ""
        }
    }
#endif
