import Counters
import Logging

/// swift-log with the handler it comes with. Apart from the cases of ours: both modules have a `LogEvent`.
enum SwiftLogPeer {
    private static func logger() -> Logger { Logger(label: "bench") { StreamLogHandler.standardOutput(label: $0) } }

    static func line() -> @Sendable (Int) -> Void {
        let logger = logger()
        return { i in
            logger.info(
                "request \(i) of user \((i &* 7) % 100_000) finished: GET /api/v2/orders/confirm status 200 bytes \(200 &+ (i & 1023) &* 37) cache miss retry no"
            )
        }
    }

    /// Calls below the logger's level.
    static func disabled(_ calls: Int) { call(logger(), calls) }

    /// Apart, as ours is: a program was handed its logger, and the compiler does not see what is in it.
    @inline(never)
    private static func call(_ logger: Logger, _ calls: Int) {
        for i in 0..<calls {
            counters_use(UInt64(truncatingIfNeeded: i))
            logger.debug("request \(calls)")
        }
    }
}
