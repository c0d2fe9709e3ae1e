#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import LogbookCore
    import LogbookFiles
    import LogbookTestKit
    import Testing

    extension ToolTests {
        @Suite struct TailAndShipTests {
            private let folder = TemporaryFolder()

            private func write(_ numbers: ClosedRange<Int>) throws {
                let lines = numbers.map { "\($0 % 10 == 0 ? "ERROR" : "INFO") number \($0)\n" }.joined()
                let outcome = try Tool.run(
                    ["pipe", "--file", "logs", "--maximum-bytes", "500", "--maximum-archives", "0"], in: folder, input: lines)
                try #require(outcome.status == 0, "\(outcome.errors)")
            }
            private var archives: [String] {
                ((try? FileManager.default.contentsOfDirectory(atPath: folder("logs"))) ?? []).filter { $0.hasPrefix("app-") }
            }
            private func numbers(_ text: String) -> [Int] {
                text.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            }

            @Test func tailShowsTheEndOfALogAcrossItsFiles() throws {
                try write(1...60)
                #expect(archives.count > 3)
                #expect(numbers(try Tool.run(["tail", "logs"], in: folder).output) == Array(51...60))
                #expect(numbers(try Tool.run(["tail", "logs", "-n", "3"], in: folder).output) == [58, 59, 60])
                #expect(numbers(try Tool.run(["tail", "logs", "--all"], in: folder).output) == Array(1...60))
                #expect(numbers(try Tool.run(["tail", "logs", "--all", "--level", "error"], in: folder).output) == [10, 20, 30, 40, 50, 60])
                #expect(numbers(try Tool.run(["tail", "logs", "--all", "--text", "number 4"], in: folder).output) == [4] + (40...49))
                let coloured = try Tool.run(["tail", "logs", "-n", "1", "--colour", "always"], in: folder).output
                #expect(coloured.hasPrefix("\u{1B}[31m"))
                #expect(numbers(try Tool.run(["tail", "logs/app.log", "-n", "3"], in: folder).output) == [58, 59, 60])
                #expect(numbers(output(of: "cd '\(folder("logs"))' && '\(try Tool.path())' tail app.log -n 3")) == [58, 59, 60])
                let file = try Tool.run(["ship", "logs/app.log", "--to", "http://127.0.0.1:9/{id}"], in: folder)
                #expect(file.status == 66 && file.errors == "logbook ship: logs/app.log is a file: give logs --name app\n", "\(file)")
                let nowhere = try Tool.run(["tail", "nowhere"], in: folder)
                #expect(nowhere.status == 66)
                #expect(nowhere.errors.contains("cannot read nowhere") && !nowhere.errors.contains("write"), "\(nowhere)")
            }

            @Test func tailNamesADamagedFileAndShowsTheOthers() throws {
                try write(1...60)
                let archive = try #require(archives.sorted().first)
                let oldest = folder("logs/\(archive)")
                output(of: "gzip -n '\(oldest)'")
                truncate(oldest + ".gz", 40)
                let tail = try Tool.run(["tail", "logs"], in: folder)
                #expect(numbers(tail.output) == Array(51...60))
                #expect(tail.errors.contains(oldest + ".gz is damaged: "), "\(tail.errors)")
                #expect(tail.status == 66)
            }

            @Test func tailOfALinkIsNoSuccess() throws {
                folder.makeFolder("logs")
                folder.write("INFO number 1\n", to: "elsewhere.log")
                output(of: "ln -s ../elsewhere.log '\(folder("logs/app.log"))'")
                let tail = try Tool.run(["tail", "logs"], in: folder)
                #expect(tail.status == 66 && tail.errors.contains("/logs/app.log is a link"), "\(tail)")
            }

            @Test func tailThatCannotWriteIsNoSuccess() throws {
                try write(1...60)
                let tail = try Tool.runOntoAFullDisk(["tail", "logs", "--all"], in: folder)
                #expect(tail.status == 74)
                #expect(tail.errors == "logbook tail: the lines cannot be written: No space left on device (errno 28)\n")
            }

            @Test func tailWaitsForAReaderWhereThePipeDoesNot() throws {
                let lines = (1...6000).map { "INFO number \($0)\n" }.joined()
                let outcome = try Tool.run(["pipe", "--file", "logs"], in: folder, input: lines)
                try #require(outcome.status == 0, "\(outcome.errors)")
                let pipe = Pipe(), writing = pipe.fileHandleForWriting
                try #require(fcntl(writing.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
                let tail = try ChildProcess(
                    [Tool.path(), "tail", "logs", "--all"], in: folder.path, outputDescriptor: writing.fileDescriptor)
                try writing.close()
                let shown = try pipe.fileHandleForReading.readToEnd() ?? Data()   // several times what a pipe holds
                #expect(numbers(String(decoding: shown, as: UTF8.self)) == Array(1...6000))
                #expect(tail.wait() == .exited(0))
            }

            @Test func tailFollowsWhatIsWritten() throws {
                try write(1...20)
                let tail = try Tool(["tail", "-f", "logs", "-n", "2"], in: folder, name: "tail")
                defer { tail.signal(SIGKILL) }
                #expect(becomesTrue { numbers(tail.output) == [19, 20] })
                try write(21...60)
                #expect(becomesTrue { numbers(tail.output) == Array(19...60) })
            }

            @Test func tailEndsWhenItsReaderHasGoneAlsoWhereNothingMoreIsWritten() throws {
                try write(1...20)
                let pipe = Pipe()
                let tail = try ChildProcess(
                    [Tool.path(), "tail", "-f", "logs", "-n", "2"], in: folder.path,
                    outputDescriptor: pipe.fileHandleForWriting.fileDescriptor)
                try pipe.fileHandleForWriting.close()
                #expect(numbers(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)) == [19, 20])
                try pipe.fileHandleForReading.close()
                #expect(tail.wait(by: .seconds(60)) == .exited(0))
            }

            @Test func aLogThatIsNotThereIsNamedAndNotMade() throws {
                try write(1...60)
                for arguments in [
                    ["tail", "logs", "--name", "pap"],
                    ["ship", "logs", "--name", "pap", "--to", "http://127.0.0.1:1/", "--roll", "--deadline", "1"],
                ] {
                    let outcome = try Tool.run(arguments, in: folder)
                    #expect(outcome.status == 66)
                    #expect(outcome.errors == "logbook \(arguments[0]): there is no log with the name pap in logs\n")
                }
                let tail = try Tool(["tail", "-f", "logs", "--name", "pap"], in: folder, name: "tail")
                defer { tail.signal(SIGKILL) }
                #expect(becomesTrue { tail.errors.contains("pap") || tail.process.end != nil })
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder("logs")).allSatisfy { !$0.contains("pap") })
                let outcome = try Tool.run(["pipe", "--file", "logs", "--name", "pap"], in: folder, input: "number 1\n")
                #expect(outcome.status == 0)
                #expect(becomesTrue { numbers(tail.output) == [1] || tail.process.end != nil })
                #expect(tail.process.end == nil)

                // What only the manifest knows of any more was a log all the same.
                try FileManager.default.removeItem(atPath: folder("logs/app.log"))
                for name in archives { try FileManager.default.removeItem(atPath: folder("logs/\(name)")) }
                #expect(try Tool.run(["ship", "logs", "--to", "http://127.0.0.1:1/"], in: folder).status == 0)
            }

            private func startCollector() throws -> (collector: Tool, url: String) {
                let collector = try Tool(
                    ["collect", "--allow-root", "--archive", "sqlite:archive.sqlite", "--port", "0", "--files", "received"], in: folder,
                    name: "collector", environment: ["LOGBOOK_TOKEN": "a=b"])
                try #require(becomesTrue { collector.output.hasSuffix("\n") || collector.process.end != nil }, "it did not start")
                let match = try #require(collector.output.wholeMatch(of: /listening on (http:\/\/127\.0\.0\.1:\d+)\n/))
                return (collector, match.1.description)
            }

            @Test func shipSendsWhatAProgramHasLeft() throws {
                try write(1...60)
                let left = archives
                let offline = try Tool.run(["ship", "logs", "--to", "http://127.0.0.1:1/", "--deadline", "1"], in: folder)
                #expect(offline.status == 75)
                #expect(archives == left)

                #expect(try Tool.run(["ship", "lgos", "--to", "http://127.0.0.1:1/", "--roll"], in: folder).status == 66)
                #expect(!FileManager.default.fileExists(atPath: folder("lgos")))
                let inTheClear = try Tool.run(["ship", "logs", "--to", "http://logs.example.com/{id}"], in: folder)
                #expect(inTheClear.status == 64 && inTheClear.errors.contains("in the clear"), "\(inTheClear.errors)")

                let (collector, url) = try startCollector()
                defer { collector.signal(SIGKILL) }
                let arguments = ["ship", "logs", "--to", url, "--collector"]
                let refused = try Tool.run(arguments + ["--deadline", "5"], in: folder, environment: ["LOGBOOK_TOKEN": "wrong"])
                #expect(refused.status == 75)
                #expect(archives == left)
                let shipped = try Tool.run(arguments, in: folder, environment: ["LOGBOOK_TOKEN": "a=b"])
                #expect(shipped.status == 0, "\(shipped.errors)")
                #expect(shipped.output.split(separator: "\n").count == left.count)
                #expect(archives == [])
                let received = try FileManager.default.contentsOfDirectory(atPath: folder("received")).sorted()
                #expect(received.count == left.count)
                let text = received.map { folder.text("received/\($0)") }.joined() + folder.text("logs/app.log")
                #expect(numbers(text) == Array(1...60))
                #expect(try Tool.run(arguments, in: folder, environment: ["LOGBOOK_TOKEN": "a=b"]).output == "")

                let rolled = try Tool.run(arguments + ["--roll"], in: folder, environment: ["LOGBOOK_TOKEN": "a=b"])
                #expect(rolled.status == 0, "\(rolled.errors)")
                #expect(folder.text("logs/app.log") == "")
                #expect(archives == [])
                let everything = try FileManager.default.contentsOfDirectory(atPath: folder("received")).sorted()
                #expect(everything.count == left.count + 1)
                #expect(numbers(everything.map { folder.text("received/\($0)") }.joined()) == Array(1...60))

                try write(61...70)
                let untold = try Tool.runOntoAFullDisk(arguments + ["--roll"], in: folder, environment: ["LOGBOOK_TOKEN": "a=b"])
                #expect(untold.status == 74)
                #expect(untold.errors == "logbook ship: what was received cannot be written: No space left on device (errno 28)\n")
                #expect(archives == [])
            }

            @Test func shipSendsTheActiveFileOfAProgramThatSaysNothingMore() throws {
                let program = try FileLogProvider(in: folder("logs"), rolling: RollingPolicy(awaitsDelivery: true))
                program.log(LogEvent(sequence: 1, time: LogTime(seconds: 1_763_720_960), level: .info, message: "number 1"))
                let (collector, url) = try startCollector()
                defer { collector.signal(SIGKILL) }
                let shipped = try Tool.run(
                    ["ship", "logs", "--to", url, "--collector", "--roll"], in: folder, environment: ["LOGBOOK_TOKEN": "a=b"])
                #expect(shipped.status == 0, "\(shipped.errors)")
                let received = try FileManager.default.contentsOfDirectory(atPath: folder("received"))
                #expect(numbers(received.map { folder.text("received/\($0)") }.joined()) == [1])
                #expect(archives == [])
                try program.shutdown(by: .seconds(30))
            }

            @Test func shipPutsNoFileInThePlaceOfAnother() throws {
                try write(1...60)
                let left = archives, receiver = try LoopbackServer { _ in .status(200) }
                try #require(left.count > 1)
                let refused = try Tool.run(["ship", "logs", "--to", receiver.url + "/log", "--put"], in: folder)
                #expect(refused.status == 64 && refused.errors.contains("must hold {id}"), "\(refused)")
                #expect(receiver.requests.isEmpty && archives == left)

                let shipped = try Tool.run(["ship", "logs", "--to", receiver.url + "/{id}", "--put"], in: folder)
                #expect(shipped.status == 0, "\(shipped)")
                #expect(Set(receiver.requests.map(\.target)).count == left.count && archives == [])
            }

            @Test func shipSaysThatFilesAreNoneOfTheLogsWithoutItsManifest() throws {
                try write(1...60)
                #expect(archives.count > 1)
                output(of: "rm '\(folder("logs/.app.manifest"))'")
                let shipped = try Tool.run(["ship", "logs", "--to", "http://127.0.0.1:1/"], in: folder)
                #expect(shipped.status == 75)
                #expect(shipped.errors.contains(".app.manifest does not list \(archives.count) files"), "\(shipped.errors)")
                #expect(shipped.errors.contains(archives.sorted()[0]), "\(shipped.errors)")
            }

            @Test func shipSaysThatItCannotFindOutWhatIsLeft() throws {
                try write(1...60)
                let left = archives
                try FileManager.default.removeItem(atPath: folder("logs/.app.manifest"))
                try FileManager.default.createDirectory(atPath: folder("logs/.app.manifest"), withIntermediateDirectories: false)
                let shipped = try Tool.run(["ship", "logs", "--to", "http://127.0.0.1:1/"], in: folder)
                #expect(shipped.status == 66)
                #expect(shipped.errors.contains("/logs/.app.manifest"), "\(shipped.errors)")
                #expect(archives == left)
            }

            @Test("U17: a large file goes to the collector's disk without going through its memory")
            func largeFile() throws {
                func mostBytesInMemory(_ process: pid_t) throws -> Int {
                    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
                    let line = try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/))
                    return try #require(Int(line.1)) << 10
                }
                try write(1...3)
                truncate(folder("logs/app.log"), 96 << 20)
                let (collector, url) = try startCollector()
                defer { collector.signal(SIGKILL) }
                let before = try mostBytesInMemory(collector.process.identifier)
                let shipped = try Tool.run(
                    ["ship", "logs", "--to", url, "--collector", "--roll"], in: folder, environment: ["LOGBOOK_TOKEN": "a=b"])
                #expect(shipped.status == 0, "\(shipped.errors)")
                let grown = try mostBytesInMemory(collector.process.identifier) - before
                if !Sanitizer.keepsWhatProgramsFree { #expect(grown < 16 << 20) }
                let received = try FileManager.default.contentsOfDirectory(atPath: folder("received"))
                #expect(received.count == 1)
                let file = try FileManager.default.attributesOfItem(atPath: folder("received/\(received.first ?? "")"))
                #expect(file[.size] as? Int == (96 << 20) + 1)  // the line that nobody ended is ended
            }
        }
    }
#endif
