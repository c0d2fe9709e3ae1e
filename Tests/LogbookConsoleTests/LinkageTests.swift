import LogbookTestKit
import Testing

#if canImport(Glibc)
    /// A program that logs to the console loads nothing that it does not use.
    @Suite struct LinkageTests {
        @Test func consoleOnlyLoadsNeitherFoundationNorSQLiteNorCurl() throws {
            let libraries = output(of: "ldd '\(try ChildProcess.builtProgram("ConsoleOnly"))'")
            #expect(libraries.contains("libswiftCore"))
            for unwanted in ["Foundation", "sqlite3", "curl", "libz", "ssl", "icu"] {
                #expect(!libraries.lowercased().contains(unwanted.lowercased()), "\(libraries)")
            }
        }

        @Test func consoleOnlyRuns() throws {
            let lines = output(of: "'\(try ChildProcess.builtProgram("ConsoleOnly"))'").split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines.first?.hasSuffix("the shop opens") == true)
            #expect(lines.last?.hasSuffix("a door does not close") == true)
            #expect(lines.dropFirst().first?.hasSuffix("3 parcels are late\tdepot=north") == true)
        }

        @Test func aTerminalGetsColours() throws {
            let program = try ChildProcess.builtProgram("ConsoleOnly")
            let shown = output(of: "env -u NO_COLOR TERM=xterm script -qec '\(program)' /dev/null")
            let lines = shown.split(separator: "\r\n")
            #expect(lines.map { $0.prefix(5) }.dropFirst() == ["\u{1B}[33m", "\u{1B}[31m"])
            #expect(lines.dropFirst().allSatisfy { $0.hasSuffix("\u{1B}[0m") })
            #expect(lines.first?.contains("\u{1B}") == false)
        }
    }
#endif
