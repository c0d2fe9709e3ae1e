#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import Testing

    @Suite struct DeferredWorkTests {
        private struct Account {
            var runs = 0
            var running = 0
            var mostRunning = 0
        }
        private let account = Locked(Account())
        private let deferred = DeferredWork(after: .milliseconds(1))

        private func runs(_ count: Int) async -> Bool {
            await onThread { [account] in becomesTrue { account.withLock { $0.runs == count && $0.running == 0 } } }
        }

        /// - Parameter isDone: By the number of the run.
        private func work(_ isDone: @escaping @Sendable (Int) -> Bool) -> @Sendable () async -> Bool {
            { [account] in
                let run = account.withLock { account in
                    account.runs += 1
                    account.running += 1
                    account.mostRunning = max(account.mostRunning, account.running)
                    return account.runs
                }
                await Task.yield()
                let isDone = isDone(run)
                account.withLock { $0.running -= 1 }
                return isDone
            }
        }

        @Test func whatFailsIsDoneAgainAndWhatIsDoneIsNot() async {
            deferred.ask(work { $0 >= 3 })
            #expect(await runs(3))
            deferred.ask(work { _ in true })
            #expect(await runs(4))   // and no fifth before it
        }

        @Test func whoAsksMeanwhileIsServedOnceMoreAndNotAtTheSameTime() async {
            let again = Locked<(@Sendable () async -> Bool)?>(nil)
            let work = work { [deferred] run in
                if run == 1 { for _ in 0..<10 { deferred.ask(again.withLock { $0! }) } }
                return true
            }
            again.withLock { $0 = work }
            for _ in 0..<10 { deferred.ask(work) }
            #expect(await runs(2))
            deferred.ask(work)
            #expect(await runs(3))
            #expect(account.withLock { $0.mostRunning } == 1)
        }
    }
#endif
