internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// What earlier runs and other programs have left is counted when it is first read: it may be hundreds of megabytes, for which neither who
// makes a provider nor who logs waits.
extension Spool {
    /// Called on the courier's thread before anybody is told how much waits: it is counted by then.
    func takeArrivals() -> Int {
        countWhatIsLeft()
        return 0
    }

    /// What cannot be read is left to the courier, which tries it again.
    func countWhatIsLeft() {
        let remarks = counting.withLock { _ -> [String] in
            var remarks: [String] = [], passed: Set<SpoolName> = []
            while let segment = nextUncounted(besides: passed) {
                passed.insert(segment)
                do throws(SystemError) {
                    if let remark = try count(segment) { remarks.append(remark) }
                } catch {
                    break   // no file can be opened for now: whoever asks next tries again
                }
            }
            return remarks
        }
        for remark in remarks { LogDiagnostics.report(name, remark) }   // whoever hears it may ask for the account
    }

    private func nextUncounted(besides passed: Set<SpoolName>) -> SpoolName? {
        state.withLock { state -> SpoolName? in
            if state.isReleased { return nil }   // somebody else may have the lane by now
            let unreadable = state.unreadable
            return state.sealed.first { $0.uncounted > 0 && unreadable[$0.name] == nil && !passed.contains($0.name) }?.name
        }
    }

    /// - Returns: What is to be said of it, once the locks are given back.
    private func count(_ segment: SpoolName) throws(SystemError) -> String? {
        let content: [UInt8]
        do throws(SystemError) {
            content = try read(segment)
        } catch {
            guard error.isAboutOneFile else { throw error }
            return state.withLock { state -> String? in
                if state.inHand.contains(segment) { return nil }   // the courier reads it as well, and says so
                return error.number == ENOENT ? vanished(segment, &state)?.remark : leaveAlone(segment, because: error, &state)
            }
        }
        let count = SpoolLine.count(content)
        state.withLock { state in
            _ = enter(count, bytes: content.count, of: segment, &state)
            // Its first line was never finished.
            guard count == 0, !state.isReleased, !state.inHand.contains(segment),
                let place = state.sealed.firstIndex(where: { $0.name == segment })
            else { return }
            try? files.remove(segment.text, in: folder)
            forget(place, because: .corruptRecovered, &state)
        }
        return nil
    }

    /// It was read. Where nobody had counted its events yet, they are entered.
    /// - Parameter found: How many lines of it were finished.
    /// - Returns: How many events there are.
    func enter(_ found: Int, bytes: Int, of segment: SpoolName, _ state: inout State) -> Int {
        state.unreadable[segment] = nil
        guard let place = state.sealed.firstIndex(where: { $0.name == segment }) else { return 0 }
        if state.sealed[place].uncounted > 0 {
            state.bytes += bytes - state.sealed[place].bytes
            state.sealed[place].bytes = bytes
            state.sealed[place].transactions = found
            state.sealed[place].uncounted = 0
            state.deliveries.submit(found)
        }
        return state.sealed[place].count
    }

    // MARK: Files that cannot be read

    func trouble(_ error: SystemError) -> Trouble {
        Trouble(error: error, until: clock.monotonicNanoseconds() + UInt64(Self.readAgain.wholeNanoseconds))
    }

    func remark(on segment: SpoolName, _ error: SystemError) -> String {
        "cannot read \(path)/\(segment.text), which is kept and tried again: \(error)"
    }

    /// Has the other files go first for a while.
    /// - Returns: What is to be said of it, once the lock is given back; nil where it is gone by now.
    func leaveAlone(_ segment: SpoolName, because error: SystemError, _ state: inout State) -> String? {
        guard state.sealed.contains(where: { $0.name == segment }) else { return nil }
        state.unreadable[segment] = trouble(error)
        return remark(on: segment, error)
    }

    /// Whether it could not be read, and is not to be tried yet.
    func rests(_ segment: SpoolName, _ state: State) -> Bool {
        guard let trouble = state.unreadable[segment] else { return false }
        return clock.monotonicNanoseconds() < trouble.until
    }

    /// - Returns: Nil when it cannot be read, and others go first, or when it is gone.
    func readOrLeave(_ place: Int, _ state: inout State) throws(SystemError) -> [UInt8]? {
        let segment = state.sealed[place].name
        do throws(SystemError) {
            return try read(segment)
        } catch {
            guard error.isAboutOneFile else { throw error }
            if error.number == ENOENT, state.inHand.contains(segment) {
                state.sealed[place].isDistrusted = false   // the courier has what was in it, and there is no file to be written anew
                return nil
            }
            let remark = error.number == ENOENT ? forgetVanished(place, &state).remark : leaveAlone(segment, because: error, &state)
            if let remark { say(remark, &state) }
            return nil
        }
    }
}
