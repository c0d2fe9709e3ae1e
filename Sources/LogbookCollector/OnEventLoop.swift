#if Collector
    internal import HummingbirdCore
    internal import Logging
    internal import NIOCore

    /// Answers the requests of a connection on the event loop that reads them, so that a small one changes threads only where it waits
    /// for the archive. What takes long goes elsewhere: see ``CollectorService/longBytes``, and what is read.
    struct OnEventLoop<Base: ServerChildChannel>: ServerChildChannel {
        let base: Base

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> { base.setup(channel: channel, logger: logger) }

        func handle(value: Base.Value, logger: Logger) async {
            await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) { await base.handle(value: value, logger: logger) }
        }
    }

    /// Runs jobs on one event loop.
    private final class EventLoopExecutor: TaskExecutor {
        private let eventLoop: any EventLoop

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
#endif
