#if canImport(Glibc)
    import Glibc
    import LogbookTestKit
    import Testing

    @Suite struct ChildProcessTests {
        @Test func aChildHasItsThreeStreamsAndNothingOfWhatOtherTestsHaveOpen() throws {
            let folder = TemporaryFolder()
            let lock = open(folder("lock"), O_RDWR | O_CREAT, 0o600)   // anybody inherits it
            defer { close(lock) }
            #expect(lock > 2 && fcntl(lock, F_GETFD) == 0)
            // The shell's own: the command beside it has one more, to read the list.
            let end = try ChildProcess.run(["sh", "-c", "ls /proc/$$/fd; true"], output: folder("said"))
            #expect(end == .exited(0))
            #expect(folder.text("said") == "0\n1\n2\n")
        }

        @Test func whatIsNamedGoesToTheChild() throws {
            let folder = TemporaryFolder(), ends = Unshared.pipe()
            #expect(write(ends[1], "through the pipe\n", 17) == 17)
            close(ends[1])
            #expect(try ChildProcess.run(["cat"], input: ends[0], output: folder("said")) == .exited(0))
            close(ends[0])
            #expect(folder.text("said") == "through the pipe\n")
        }

        @Test func programsAreThoseBesideTheTestsOrWhereTheEnvironmentSays() async {
            await #expect(processExitsWith: .success) {
                unsetenv(ChildProcess.programsVariable)
                let program = try ChildProcess.builtProgram("ConsoleOnly")
                #expect(program.hasSuffix("/ConsoleOnly"))
                #expect(Sanitizer.keepsWhatProgramsFree == Sanitizer.keepsWhatIsFreed)
            }
            await #expect(processExitsWith: .success) {
                setenv(ChildProcess.programsVariable, "/bin", 1)
                let shell = try ChildProcess.builtProgram("sh")
                #expect(shell == "/bin/sh")
                #expect(throws: ScriptedFailure.self) { try ChildProcess.builtProgram("ConsoleOnly") }
                #expect(!Sanitizer.keepsWhatProgramsFree)
            }
        }

        @Test func socketsAndPipesOfTestsCloseOnExec() {
            let listener = Unshared.socket(AF_INET), ends = Unshared.pipe()
            for descriptor in [listener] + ends {
                #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
                close(descriptor)
            }
        }
    }
#endif
