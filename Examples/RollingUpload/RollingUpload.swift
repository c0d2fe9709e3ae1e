#if Examples
    import ArgumentParser
    import Foundation
    import Logbook
    import LogbookCompression
    import LogbookUploads

    /// Logs as fast as it can into small files that roll, are compressed and are uploaded, until somebody kills it.
    @main
    struct RollingUpload: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rolling-upload", abstract: "Logs and uploads until it is killed.",
            discussion: """
                Prints the id of each event, <start>-<sequence>, once the kernel has its line: from then on it must arrive. The \
                collector's token stands in the environment's LOGBOOK_TOKEN.
                """)

        @Option(help: "The collector's URL.") var collector: String
        @Option(help: "Folder for the log's files.") var folder: String
        @Option(help: "Which start of the program this is, from 1.") var start: UInt64
        @Option(help: "Bytes of one file.") var maximumBytes = 64 << 10

        func run() throws {
            var request = UploadRequest.collector(
                at: collector, token: ProcessInfo.processInfo.environment["LOGBOOK_TOKEN"].map { Secret($0) })
            request.takesGzip = true
            let uploader = try LogUploader(of: folder, to: request)

            // The origin makes ids of sequences: no two starts of the program share one.
            let file = try FileLogProvider(
                in: folder, format: JSONLineFormat(origin: LogOrigin(installation: "pump", epoch: start)),
                rolling: RollingPolicy(maximumBytes: maximumBytes, awaitsDelivery: true, compression: .gzip),
                onArchive: uploader.onArchive)
            let service = LogService()
            service.register(file, from: .info)

            var written: UInt64 = 0
            while true {
                service.info("\(written) litres so far", metadata: ["pump": "north"])
                written += 1
                guard file.ledger?.delivered == written else { throw Failure.notWritten(after: written - 1) }
                FileHandle.standardOutput.write(Data("\(start)-\(written)\n".utf8))
            }
        }

        enum Failure: Error, CustomStringConvertible {
            case notWritten(after: UInt64)

            var description: String {
                switch self {
                case .notWritten(let count): "an event could not be written after \(count) that were; the log's own lines say why"
                }
            }
        }
    }
#else
    /// Built without the trait, there is nothing to run.
    @main
    enum RollingUpload {
        static func main() { print("built without the trait Examples; use: swift run --traits Examples RollingUpload") }
    }
#endif
