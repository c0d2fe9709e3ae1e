/// One promise of the provider contract, and the name under which a suite reports on it.
public struct ConformanceCheck: Sendable, Hashable, CustomStringConvertible {
    /// Stable, to be compared in tests: `keepsOrder`.
    public let name: String
    /// What is promised, as a sentence.
    public let promise: String

    package init(_ name: String, _ promise: String) {
        self.name = name
        self.promise = promise
    }

    public var description: String { name }
}

/// What every provider promises.
extension ConformanceCheck {
    public static let oneEvent = ConformanceCheck("oneEvent", "what is logged, flushed and shut down stands there")
    public static let writesOnce = ConformanceCheck("writesOnce", "an event is written once")
    public static let flushMakesVisible = ConformanceCheck(
        "flushMakesVisible", "when flush returns, everything logged before it can be read back")
    public static let shutdownWritesTheRest = ConformanceCheck(
        "shutdownWritesTheRest", "shutdown writes what no flush has written")
    public static let flushTwice = ConformanceCheck(
        "flushTwice", "flush may be called at any time, also before the first event, and changes nothing the second time")
    public static let visibleWhenLogReturns = ConformanceCheck(
        "visibleWhenLogReturns", "an event can be read back as soon as log returns (if claimed)")
    public static let keepsEverything = ConformanceCheck(
        "keepsEverything", "of many events logged by one thread all arrive, each once and with its own text")
    public static let keepsOrder = ConformanceCheck(
        "keepsOrder", "events of one thread arrive in the order in which it logged them (unless not claimed)")
    public static let concurrency = ConformanceCheck(
        "concurrency", "events that many threads log at the same time all arrive, each once")
    public static let flushUnderLoad = ConformanceCheck(
        "flushUnderLoad", "events that are logged while another thread flushes all arrive, each once")
    public static let everyLevel = ConformanceCheck("everyLevel", "events of every level arrive, with their level")
    public static let emptyMessage = ConformanceCheck("emptyMessage", "an event without text is an event")
    public static let unusualTimes = ConformanceCheck(
        "unusualTimes", "events from 1677, 1969, 1970 and 2262 arrive, with their time")
    public static let outOfSequence = ConformanceCheck(
        "outOfSequence", "events whose sequence or time goes backwards arrive")
    public static let error = ConformanceCheck("error", "an event's error arrives with its type and text, and with no other event")
    public static let metadata = ConformanceCheck("metadata", "metadata of every type arrives as it was")
    public static let largeMetadata = ConformanceCheck(
        "largeMetadata",
        "1,000 keys, 24 levels (or what is claimed) and keys like the format's own arrive as they were (unless text is not claimed)")
    public static let oneInOneOut = ConformanceCheck(
        "oneInOneOut", "no text of an event can make two events of it, or none")
    public static let hostileText = ConformanceCheck(
        "hostileText", "line ends, control and bidirectional characters, quotes and NUL arrive unchanged (unless not claimed)")
    public static let hugeEvent = ConformanceCheck(
        "hugeEvent", "a message of 1 MiB arrives whole, or as is claimed for a shorter one, and its neighbours arrive")
    public static let flushAfterShutdown = ConformanceCheck("flushAfterShutdown", "flush after shutdown does nothing")
    public static let shutdownTwice = ConformanceCheck("shutdownTwice", "a second shutdown does nothing")
    public static let logAfterShutdown = ConformanceCheck(
        "logAfterShutdown", "an event that comes after shutdown is written or counted, and harms nobody")
    public static let ledgerAddsUp = ConformanceCheck(
        "ledgerAddsUp", "the ledger says what happened: submitted = delivered + pending + dropped, to the event")
    public static let ledgerNeverGoesBack = ConformanceCheck(
        "ledgerNeverGoesBack", "no number of the ledger but pending becomes smaller, whenever it is looked at")
    public static let logDoesNotWait = ConformanceCheck(
        "logDoesNotWait", "log returns although the destination does not answer")
    public static let accountAnswersAtOnce = ConformanceCheck(
        "accountAnswersAtOnce",
        "ledger, lostAfterwards, latestFailure and oldestPending do not wait for a destination that does not answer")
    public static let flushKeepsToDeadline = ConformanceCheck(
        "flushKeepsToDeadline", "flush with a deadline that is over returns, loses nothing, and throws when something is not safe yet")
    public static let flushEndsAtDeadline = ConformanceCheck(
        "flushEndsAtDeadline", "flush whose deadline comes while the destination does not answer returns, and loses nothing")
    public static let shutdownKeepsToDeadline = ConformanceCheck(
        "shutdownKeepsToDeadline", "shutdown with a deadline that is over returns; what it gives up is counted or thrown")
    public static let shutdownEndsAtDeadline = ConformanceCheck(
        "shutdownEndsAtDeadline", "shutdown whose deadline comes while the destination does not answer returns, and counts or throws")
    public static let staysBounded = ConformanceCheck(
        "staysBounded", "the claimed capacity is not exceeded while the destination does not answer; the rest is counted")
    public static let survivesFailure = ConformanceCheck(
        "survivesFailure",
        "what comes while the destination fails arrives later or is counted, no flush hides it, and what comes later arrives")
    public static let failurePasses = ConformanceCheck(
        "failurePasses", "latestFailure and oldestPending are nil again once the destination works and everything is written")
    public static let interest = ConformanceCheck(
        "interest", "registered with a service, the provider keeps what its interest asks for")
    public static let reentrancy = ConformanceCheck(
        "reentrancy", "registered twice beside a provider that logs and flushes from inside, nothing hangs or is lost")
    public static let closeUnderLoad = ConformanceCheck(
        "closeUnderLoad", "shut down while threads log, what was logged before stands there and the rest is counted")
}

/// What every sink promises, beyond what its queue does for it.
extension ConformanceCheck {
    public static let sinkTakesOne = ConformanceCheck("sinkTakesOne", "a batch of one event is written")
    public static let sinkTakesMany = ConformanceCheck("sinkTakesMany", "of a batch of many events all are written, each once")
    public static let sinkKeepsBatchOrder = ConformanceCheck(
        "sinkKeepsBatchOrder", "a batch is written in its order (unless not claimed)")
    public static let sinkFailsHonestly = ConformanceCheck(
        "sinkFailsHonestly", "a failed write throws and says what became of the batch: offered again, each event is there once")
    public static let sinkKeepsToDeadline = ConformanceCheck(
        "sinkKeepsToDeadline", "flush and close return when their deadline is over, though the destination does not answer")
    public static let sinkEndsAtDeadline = ConformanceCheck(
        "sinkEndsAtDeadline", "flush and close whose deadline comes while the destination does not answer return")
}

/// What whoever drives a sink promises it.
extension ConformanceCheck {
    public static let queueCallsOneAtATime = ConformanceCheck(
        "queueCallsOneAtATime", "a sink is inside one call at a time, and no batch is empty")
    public static let queueFlushesAfterBatches = ConformanceCheck(
        "queueFlushesAfterBatches", "a flush reaches the sink, after the batches that hold what was logged before it")
    public static let queueClosesOnce = ConformanceCheck(
        "queueClosesOnce", "a sink is closed once, after everything else")
    public static let queueFlushesBeforeClose = ConformanceCheck(
        "queueFlushesBeforeClose", "shutdown flushes the sink before it closes it")
    public static let queueOffersAgain = ConformanceCheck(
        "queueOffersAgain", "a batch whose write failed is offered again, whole and in order, before any other")
    public static let queueGoesOnAfterPart = ConformanceCheck(
        "queueGoesOnAfterPart", "after BatchWriteError.wroteOnly the rest is offered again, and only the rest")
    public static let queueCountsRefused = ConformanceCheck(
        "queueCountsRefused", "after BatchWriteError.refused the batch is counted under the sink's reason and the next one goes on")
    public static let queueCountsRefusedOne = ConformanceCheck(
        "queueCountsRefusedOne",
        "after BatchWriteError.refusedOne that event alone is counted, and what stood behind it is offered again")
    public static let queueCountsDropped = ConformanceCheck(
        "queueCountsDropped",
        "after BatchWriteError.dropped what was dropped is counted under its reason, and only the rest is offered again")
}
