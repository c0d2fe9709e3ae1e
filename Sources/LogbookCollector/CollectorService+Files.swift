#if Collector
    internal import LogbookCore

    extension CollectorService {
        private static let digestHeader = "Logbook-SHA256"

        /// Whether more is free on the disk of whole files than is to stay so.
        private var hasRoomForFiles: @Sendable () -> Bool {
            guard let folder = configuration.filesFolder else { return { true } }
            let freeBytes = freeBytes, kept = configuration.keepFreeBytes
            return { freeBytes(folder).map { $0 >= kept } ?? true }
        }

        /// Those of every tenant that has a token now, and of `default`; none where no files are kept.
        func shelves() -> [FileShelf] {
            guard let folder = configuration.filesFolder else { return [] }
            return FileShelf.paths(for: tokens().all, in: folder).map { FileShelf(path: $0) }
        }

        /// - Returns: How many files went, and of each shelf the first reason why there are not more.
        func removeFiles(receivedBefore oldest: LogTime) -> (count: Int, failures: [String]) {
            let outcomes = shelves().map { $0.remove(receivedBefore: oldest) }
            return (outcomes.reduce(0) { $0 + $1.count }, outcomes.compactMap(\.failure))
        }

        /// A whole file: `PUT /v1/files/<id>`, or `POST /v1/files` with the id in `Logbook-Parcel`. The answer names the id, also where
        /// the file is kept beside another one of that id.
        func takeFile(
            _ request: CollectorRequest, of caller: CollectorToken, _ shelf: FileShelf
        ) async throws(Refusal) -> CollectorAnswer {
            let isNamed = request.path != "/v1/files"
            let id = isNamed ? String(request.path.dropFirst("/v1/files/".count)) : try parcelName(request) ?? ""
            guard FileShelf.isValid(id) else {
                throw Refusal(
                    400, "invalid", field: isNamed ? "path" : Self.parcelHeader,
                    reason: "a file's id has 1 to \(FileShelf.longestID) letters, digits, dots, dashes, underscores or @")
            }
            try check(request, offers: ["application/json"])
            let isGzip = try isGzip(request)
            let tooLarge = Refusal(
                413, "too_large", reason: "a file holds at most \(configuration.maximumFileBytes) bytes, inflated as well")
            let announced = announcedBytes(request) ?? 0
            if announced > configuration.maximumFileBytes { throw tooLarge }
            let short = await elsewhere { () async -> String? in
                // What is kept may come again: it needs no room.
                await shortage(of: announced, isForArchive: false).flatMap { shelf.holds(id) ? nil : $0 }
            }
            if let short { throw Refusal(shortage: short) }
            guard let share = bodyRoom.take(ArrivingFile.pieceBytes, of: caller.tenant) else { throw Self.busy }
            defer { share.resize(to: 0) }
            let file = shelf.receive(
                id, isGzip: isGzip, maximumBytes: configuration.maximumFileBytes,
                digest: isGzip ? nil : request.header(Self.digestHeader), hasRoom: hasRoomForFiles, grow: request.grow)
            do {
                var rest: [UInt8] = []
                try await request.pieces { piece in
                    rest += piece
                    guard rest.count >= ArrivingFile.pieceBytes else { return }
                    try await file.append(rest)
                    rest.removeAll(keepingCapacity: true)
                }
                let kept = try await file.finish(with: rest)
                if !kept.isNew { request.giveGrowthBack() }
                if kept.isNew, kept.name != id {
                    report("collector", "another file of the id \(id) is there already, with other bytes: this one is kept as \(kept.name)")
                }
                var answer = JSONText()
                answer.add("file", id)
                answer.add("bytes", kept.bytes)
                answer.add("duplicates", kept.isNew ? 0 : 1)
                return .json(200, answer, headers: [Self.parcelHeader: id])
            } catch {
                await file.abandon()
                if let refusal = error as? Refusal { throw refusal }
                switch error as? ArrivingFile.Failure {
                case .tooLarge: throw tooLarge
                case .damaged:
                    throw Refusal(
                        503, "damaged", field: Self.digestHeader, reason: "the body is not what was announced; send it again",
                        headers: ["Retry-After": "1"])
                case .notGzip: throw Self.notGzip
                case .outOfMemory: throw Self.busy
                case .unavailable(let failure): throw unavailable(failure)
                case .refused(let refusal): throw refusal
                case nil: throw Self.brokenOff
                }
            }
        }
    }
#endif
