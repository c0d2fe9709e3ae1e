#if Collector
    internal import NIOCore

    /// How many descriptors a collector takes at most. Without one left it takes no connection any more, and those that wait do not give
    /// way: there must be enough, or fewer connections.
    struct DescriptorNeeds: Equatable {
        /// At the same time.
        var connections: Int
        /// Connections whose closing is under way, beside those.
        var closing = 64
        /// Files that arrive at the same time, each over a connection.
        var files = 0
        /// For the archive, the event loops and whatever else a program has open.
        var others = 200

        /// Its folder, itself, and the one of the same id that it is compared with.
        private static let perFile = 3
        /// What it waits with, what wakes it, and its clock.
        private static let perEventLoop = 3

        var all: Int { connections + closing + Self.perFile * min(files, connections) + others }

        /// The same for a process that may have so many: with as many connections as they are enough for. Of few, half are left to what is
        /// no connection.
        func fitting(in limit: Int) -> DescriptorNeeds {
            if all <= limit { return self }
            var fitting = self
            fitting.others = min(others, limit / 2)
            fitting.closing = max(1, min(closing, (limit - fitting.others) / 4))
            let room = limit - fitting.others - fitting.closing
            // Either a file comes over each of them, or there are more of them than files.
            let most = max(room / (1 + Self.perFile), room - Self.perFile * files)
            fitting.connections = max(1, min(connections, most))
            return fitting
        }
    }

    extension DescriptorNeeds {
        init(of configuration: CollectorConfiguration) {
            self.init(connections: configuration.connections.maximum)
            others += Self.perEventLoop * System.coreCount
            if configuration.filesFolder != nil { files = max(1, configuration.maximumBodyBytesInFlight / ArrivingFile.pieceBytes) }
        }
    }
#endif
