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
            var remarks: [String] = [], passed: Set<SpoolName> = [], start = 0
            while let (segment, place) = nextUncounted(from: start, besides: passed) {
                passed.insert(segment)
                start = place
                do throws(SystemError) {
                    if let remark = try count(segment, near: place) { remarks.append(remark) }
                } catch {
                    break   // no file can be opened for now: whoever asks next tries again
                }
            }
            return remarks
        }
        for remark in remarks { LogDiagnostics.report(name, remark) }   // whoever hears it may ask for the account
    }

    /// - Parameter start: Where to begin to look, so that many files are not gone through for each of them.
    private func nextUncounted(from start: Int, besides passed: Set<SpoolName>) -> (segment: SpoolName, place: Int)? {
        state.withLock { state -> (segment: SpoolName, place: Int)? in
            if state.isReleased { return nil }   // somebody else may have the lane by now
            func isNext(_ place: Int) -> Bool {
                guard state.sealed[place].uncounted > 0 else { return false }
                let name = state.sealed[place].name
                return state.unreadable[name] == nil && !passed.contains(name)
            }
            let start = min(start, state.sealed.count)
            guard let place = (start..<state.sealed.count).first(where: isNext) ?? (0..<start).first(where: isNext) else { return nil }
            return (state.sealed[place].name, place)
        }
    }

    /// - Parameter hint: Where it was a moment ago.
    private func place(of segment: SpoolName, near hint: Int?, _ state: inout State) -> Int? {
        if let hint, hint < state.sealed.count, state.sealed[hint].name == segment { return hint }
        return state.sealed.firstIndex { $0.name == segment }
    }

    /// - Returns: What is to be said of it, once the locks are given back.
    private func count(_ segment: SpoolName, near hint: Int) throws(SystemError) -> String? {
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
            _ = enter(count, bytes: content.count, of: segment, near: hint, &state)
            // Its first line was never finished.
            guard count == 0, !state.isReleased, !state.inHand.contains(segment),
                let place = place(of: segment, near: hint, &state)
            else { return }
            try? files.remove(segment.text, in: folder)
            forget(place, because: .corruptRecovered, &state)
        }
        return nil
    }

    /// It was read. Where nobody had counted its events yet, they are entered.
    /// - Parameter found: How many lines of it were finished.
    /// - Returns: How many events there are.
    func enter(_ found: Int, bytes: Int, of segment: SpoolName, near hint: Int? = nil, _ state: inout State) -> Int {
        state.unreadable[segment] = nil
        guard let place = place(of: segment, near: hint, &state) else { return 0 }
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
