#if Collector
    internal import LogbookCore
    public import LogbookHTTP

    /// A collector from its start to its exit status.
    public final class CollectorProgram: Sendable {
        private enum Phase {
            case ready
            case running(Task<Void, Never>)
            case stopped
        }

        let configuration: CollectorConfiguration
        private let archive: any Archive
        private let server: CollectorServer
        private let phase = Locked(Phase.ready)

        /// Checks the configuration and the tenants' folders for files, which it makes where there are none, and opens the archive. Raises
        /// the limit of what this process may have open at the same time to what a collector takes, as far as it may be raised.
        /// - Parameters:
        ///   - archive: As ``ArchiveURL`` takes it: `sqlite:<path>`, `postgres://…` or `clickhouse://…`.
        ///   - clickHousePassword: For an address of ClickHouse that has none in it.
        /// - Throws: ``CollectorError/invalid(_:)`` also for ``CollectorConfiguration/keepBytes`` with another archive than SQLite's.
        public init(
            _ configuration: CollectorConfiguration, archive: String, clickHousePassword: Secret? = nil
        ) throws(CollectorError) {
            try configuration.check()
            if configuration.keepBytes != nil, ArchiveURL.sqlitePath(archive) == nil {
                throw .invalid(
                    """
                    --keep-size is for archives of SQLite (sqlite:<path>): PostgreSQL and ClickHouse do not give back room at once when \
                    something is removed, so their size does not say how much has to go; limit it by --keep, and by the means of the \
                    database, such as a disk of its own
                    """)
            }
            DescriptorLimit.raise(to: DescriptorNeeds(of: configuration).all)
            if let folder = configuration.filesFolder {
                let tokens = try CollectorService.tokens(of: configuration, clock: .system)
                let shelves = FileShelf.paths(for: tokens().all, in: folder)
                for path in shelves { try FileShelf(path: path).check() }
                try Self.checkWhatFilesRemove(configuration, ArchiveURL.sqlitePath(archive).map(String.init), in: shelves)
            }
            do throws(ArchiveError) {
                self.archive = try ArchiveURL.open(archive, clickHousePassword: clickHousePassword)
            } catch {
                throw .archive(error)
            }
            var configuration = configuration
            // The other archives look after the room on their own machines.
            if let archive = self.archive as? SQLiteArchive { configuration.storageFolder = Self.folder(of: archive.path) }
            self.configuration = configuration
            server = try CollectorServer(configuration: configuration, archive: self.archive)
        }

        /// Files of the collector's own that lie in a folder of whole files, of whichever tenant, would go with them in time.
        private static func checkWhatFilesRemove(
            _ configuration: CollectorConfiguration, _ archive: String?, in shelves: Set<String>
        ) throws(CollectorError) {
            guard configuration.keepFiles != nil else { return }
            let files = SystemFileSystem(), resolved = Set(shelves.compactMap { try? files.resolvedPath(ofFolder: $0) })
            let own = [archive, configuration.tokenFile, configuration.tlsCertificate, configuration.tlsKey].compactMap(\.self)
            for path in own + configuration.ownFiles {
                // Where it is, and where it leads as a link.
                let places = [path] + [try? files.resolvedPath(ofFolder: path)].compactMap(\.self)
                let folders = places.compactMap { try? files.resolvedPath(ofFolder: Self.folder(of: $0)) }
                if !resolved.isDisjoint(with: folders) {
                    throw .invalid("--keep-files would remove \(path), which lies in a folder of --files; keep it in another one")
                }
            }
        }

        private static func folder(of path: some StringProtocol) -> String {
            let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            return folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
        }

        /// Serves, blocking the calling thread, until ``stop()``; then closes the archive, unless it still has requests.
        /// - Parameter onListening: Hears where, as `http://127.0.0.1:8090`, once connections are taken.
        public func run(onListening: @escaping @Sendable (_ url: String) -> Void) throws(CollectorError) {
            let outcome = Monitor<Result<Void, CollectorError>?>(nil)
            let server = server
            let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
            let scheme = configuration.tlsCertificate == nil ? "http" : "https"
            let isStopped = phase.withLock { phase in
                if case .stopped = phase { return true }
                phase = .running(
                    Task {
                        let result: Result<Void, CollectorError>
                        do throws(CollectorError) {
                            try await server.run { port in onListening("\(scheme)://\(host):\(port)") }
                            result = .success(())
                        } catch {
                            result = .failure(error)
                        }
                        outcome.withLock { access in
                            access.value = result
                            access.broadcast()
                        }
                    })
                return false
            }
            if isStopped { return close() }
            let result = outcome.withLock { access in
                while access.value == nil { access.wait() }
                return access.value!
            }
            // What is stored is safe either way; one file instead of three is only easier to copy, and not worth waiting for.
            if !server.hasAbandonedRequests { close() }
            try result.get()
        }

        private func close() {
            do throws(ArchiveError) { try archive.close() } catch {
                LogDiagnostics.report("collector", error.description)
            }
        }

        /// Takes no more connections, answers what is in progress, and lets ``run(onListening:)`` return. From any thread, any number
        /// of times.
        public func stop() {
            let task: Task<Void, Never>? = phase.withLock { phase in
                defer { phase = .stopped }
                if case .running(let task) = phase { return task }
                return nil
            }
            task?.cancel()
        }
    }
#endif
