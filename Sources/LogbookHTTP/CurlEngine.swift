internal import CLogbookCurl
internal import CLogbookSystem
internal import LogbookCore

/// The working half of a ``CurlTransport``: one multi handle, driven by one thread at a time. Usually that is the engine's own, which
/// is started by the first request and keeps the engine alive until it is stopped. A caller that waits for its answer drives itself
/// while nobody else has anything to send: to wake one thread with the request and another with the answer takes longer than a small
/// request does. A forked child begins anew, with a thread and connections of its own.
final class CurlEngine: Sendable {
    typealias Completion = @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void

    /// What one process has of it. An object: a child leaves its parent's as it is, which a thread may have been in the middle of changing.
    private final class State {
        let lineage = ProcessLineage.current
        var submissions: [CurlSubmission] = []
        var cancelled: Set<UInt64> = []
        var latest: UInt64
        var hasThread = false
        var isStopped = false
        /// There while somebody drives, or once somebody has.
        var drive: CurlDrive?
        var isDriven = false
        /// Whether something is on its way that nobody drives.
        var isLeftOver = false
        /// Whether the driver waits for its connections, and has to be woken there.
        var isPolling = false

        var hasWork: Bool { !submissions.isEmpty || !cancelled.isEmpty || isStopped }

        init(latest: UInt64 = 0) { self.latest = latest }
    }

    /// A driver looks after its connections at least so often.
    private static let longestPoll = Duration.seconds(1)

    private let allowsPlainHTTP: Bool
    private let trust: HTTPTrust
    private let proxy: String?
    private let state = Monitor(State())

    init(allowsPlainHTTP: Bool, trust: HTTPTrust, proxy: String?) {
        self.allowsPlainHTTP = allowsPlainHTTP
        self.trust = trust
        self.proxy = proxy
    }

    /// - Parameter span: How long the calling thread may drive, while the answer is not there.
    func send(_ request: HTTPRequest, lending span: Duration = .zero, completion: @escaping Completion) -> HTTPCancellation {
        let sent = state.withLock { access -> (number: UInt64, drives: Bool)? in
            beginAnewInChild(access)
            if access.value.isStopped { return nil }
            // Also where it is not needed yet: it goes on where the caller ends.
            if !access.value.hasThread {
                access.value.hasThread = LogThread.start("logbook-http") { self.run() }
                if !access.value.hasThread { return nil }
            }
            let drives = span > .zero && !access.value.isDriven && !access.value.isLeftOver && !access.value.hasWork
            access.value.latest += 1
            if drives {
                access.value.isDriven = true   // and begins its own request alone
            } else {
                access.value.submissions.append(
                    CurlSubmission(number: access.value.latest, request: request, completion: completion))
                wake(access)
            }
            return (access.value.latest, drives)
        }
        guard let (number, drives) = sent else {
            completion(.failure(.unreachable("the machine gives no thread to send with")))
            return HTTPCancellation {}
        }
        if drives {
            // On a host's thread: libcurl leaves the signal of a closed connection to whoever calls it.
            let held = logbook_hold_pipe_signal()
            defer { if held { logbook_release_pipe_signal() } }
            drive(CurlSubmission(number: number, request: request, completion: completion), until: .after(span))
        }
        return HTTPCancellation { [weak self] in self?.cancel(number) }
    }

    private func cancel(_ number: UInt64) {
        state.withLock { access in
            guard access.value.lineage.isCurrent else { return }   // the parent's, which goes on there
            access.value.cancelled.insert(number)
            wake(access)
        }
    }

    func stop() {
        state.withLock { access in
            beginAnewInChild(access)
            access.value.isStopped = true
            wake(access)
        }
    }

    /// In a forked child the thread is gone, and the connections are still the parent's, as is what was sent. All of that is kept for ever:
    /// to close a connection here would say goodbye on the parent's.
    private func beginAnewInChild(_ access: Monitor<State>.Access) {
        if access.value.lineage.isCurrent { return }
        _ = Unmanaged.passRetained(access.value)
        access.value = State(latest: access.value.latest)
    }

    private func wake(_ access: Monitor<State>.Access) {
        if access.value.isPolling, let drive = access.value.drive {
            curl_multi_wakeup(drive.multi)
        } else {
            access.broadcast()
        }
    }

    // MARK: Driving

    /// Takes a caller's request as far as it goes while nobody else has anything to send, and leaves the rest to the engine's thread.
    private func drive(_ own: CurlSubmission, until deadline: LogDeadline) {
        guard let drive = startedDrive() else {
            release(nil)
            return own.completion(.failure(Self.cannotStart))
        }
        drive.begin(own)
        while true {
            drive.perform()
            let polls = polls { access in drive.isOnItsWay(own.number) && !access.value.hasWork && !deadline.hasPassed }
            guard polls else { return release(drive) }
            drive.poll(atMost: min(Self.longestPoll, deadline.remaining ?? Self.longestPoll))
        }
    }

    private func run() {
        while waitForWork() {
            while let drive = takeWork() {
                drive.perform()
                if polls({ access in !drive.isEmpty && !access.value.hasWork }) {
                    drive.poll(atMost: Self.longestPoll)
                } else if state.withLock({ $0.value.isStopped || drive.isEmpty && !$0.value.hasWork }) {
                    break
                }
            }
            release(state.withLock { $0.value.drive })
        }
        takeWork()?.cancelAll()
        state.withLock { $0.value.drive = nil }
    }

    /// From here on the driver has to be woken where it polls, if it does.
    private func polls(_ wants: (Monitor<State>.Access) -> Bool) -> Bool {
        state.withLock { access in
            access.value.isPolling = wants(access)
            return access.value.isPolling
        }
    }

    private func release(_ drive: CurlDrive?) {
        state.withLock { access in
            access.value.isDriven = false
            access.value.isLeftOver = drive.map { !$0.isEmpty } ?? false
            if access.value.hasWork || access.value.isLeftOver { access.broadcast() }
        }
    }

    /// Waits until the engine's thread has something to drive.
    /// - Returns: False once the engine is stopped.
    private func waitForWork() -> Bool {
        state.withLock { access in
            while access.value.isDriven || !access.value.hasWork && !access.value.isLeftOver { access.wait() }
            access.value.isDriven = true
            return !access.value.isStopped
        }
    }

    /// Begins what was sent and gives up what was cancelled.
    /// - Returns: Nil where libcurl cannot be started: then everything sent so far has failed. The next request tries anew.
    private func takeWork() -> CurlDrive? {
        let (submissions, cancelled, isStopped, existing) = state.withLock { access in
            access.value.isPolling = false
            defer {
                access.value.submissions = []
                access.value.cancelled = []
            }
            return (access.value.submissions, access.value.cancelled, access.value.isStopped, access.value.drive)
        }
        if submissions.isEmpty, cancelled.isEmpty { return existing }
        let drive = startedDrive()
        for submission in submissions {
            if isStopped || cancelled.contains(submission.number) {
                submission.completion(.failure(.cancelled))
            } else if let drive {
                drive.begin(submission)
            } else {
                submission.completion(.failure(Self.cannotStart))
            }
        }
        for number in cancelled { drive?.cancel(number) }
        return drive
    }

    private static var cannotStart: HTTPFailure { .unreachable("libcurl cannot be started; it needs memory and file descriptors") }

    /// Asked by whoever drives.
    private func startedDrive() -> CurlDrive? {
        if let existing = state.withLock({ $0.value.drive }) { return existing }
        let drive = CurlDrive(allowsPlainHTTP: allowsPlainHTTP, trust: trust, proxy: proxy)
        state.withLock { $0.value.drive = drive }
        return drive
    }
}
