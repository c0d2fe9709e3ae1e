#if canImport(Glibc)
    import LogbookTestKit
    import Testing

    /// The built `LogbookPlanTool`, as the plug-ins run it.
    @Suite struct PlanToolTests {
        private let folder = TemporaryFolder()

        @Test func whatCannotBeWrittenOrReadIsNoSuccess() throws {
            let tool = try ChildProcess.builtProgram("LogbookPlanTool"), errors = folder("errors")
            folder.write("final class Cart { func pay() {} }\n", to: "Cart.swift")
            let list = [tool, "list", "--module", "App", folder("Cart.swift")]
            #expect(try ChildProcess.run(list, errors: errors) == .exited(0), "\(folder.text("errors"))")
            #expect(try ChildProcess.run(list, output: "/dev/full", errors: errors) == .exited(74))
            #expect(folder.text("errors") == "standard output: error: cannot write it: No space left on device\n")
            #expect(try ChildProcess.run([tool, "list", "--module", "App", folder.path], errors: errors) == .exited(66))
            #expect(folder.text("errors") == "\(folder.path): error: cannot read it: Is a directory\n")
        }
    }
#endif
