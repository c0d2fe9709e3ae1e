#if Collector
    internal import Foundation
    internal import LogbookCore
    internal import LogbookHTTP

    /// A token that may be changed in its file while it is in use: whoever was refused with the old one hears of the new one.
    final class TokenWatch: Sendable {
        private let read: @Sendable () -> Secret?
        /// What the latest request had, or what was told of since.
        private let known: Locked<Secret?>

        /// How long a new token may go unseen, in seconds.
        private static let interval: TimeInterval = 1

        init(reading read: @escaping @Sendable () -> Secret?) {
            self.read = read
            known = Locked(read())
        }

        /// For a request.
        func token() -> Secret? {
            let token = read()
            known.withLock { $0 = token }
            return token
        }

        /// From now on until the end of the program, `changed` is called when the file holds another token than the latest request had.
        func tell(_ changed: @escaping @Sendable () -> Void) {
            LogThread.start("logbook-token") {
                while true {
                    Thread.sleep(forTimeInterval: Self.interval)
                    let token = self.read()
                    let isNew = self.known.withLock { known in
                        defer { known = token }
                        return known != token
                    }
                    if isNew { changed() }
                }
            }
        }
    }
#endif
