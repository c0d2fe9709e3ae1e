#if os(Linux)
    import LogbookCore
    import LogbookTestKit
    import Testing

    @testable import LogbookDelivery

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite struct SystemBusTests {
        private let folder = TemporaryFolder(inMemory: true)

        @Test func messagesAreReadAsTheyWereWritten() throws {
            var body = BusMessage.Writer()
            body.text("org.freedesktop.NetworkManager")
            body.text("Metered")
            let call = BusMessage(
                kind: .call, flags: 2, serial: 7, path: "/org/freedesktop/NetworkManager",
                interface: "org.freedesktop.DBus.Properties", member: "Get", destination: "org.freedesktop.NetworkManager",
                signature: "ss", body: body.bytes)
            let bytes = call.bytes
            for count in 0..<bytes.count {
                var part = Array(bytes.prefix(count))
                #expect(try BusMessage.take(from: &part) == nil)
            }
            var two = bytes + bytes
            #expect(try BusMessage.take(from: &two) == call)
            #expect(try BusMessage.take(from: &two) == call)
            #expect(two == [])
        }

        @Test func bytesThatAreNoMessageAreRefused() throws {
            let random = LogRandomness.seeded(3)
            let whole = BusMessage(kind: .answer, serial: 1, answered: 2, sender: ":1.0", signature: "v", body: [1, 0x75, 0, 0]).bytes
            for _ in 0..<5000 {
                var bytes = whole
                for _ in 0...random.next() % 4 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
                _ = try? BusMessage.take(from: &bytes)  // whatever it says, it says it
            }
            var large = whole
            large.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0x7F])
            #expect(throws: BusMessage.Damage.tooLarge) { try BusMessage.take(from: &large) }
        }

        @Test("D1: NetworkManager says over the real message bus whether the network is metered", arguments: [0, 1, 2, 3, 4] as [UInt32])
        func realBus(state: UInt32) async throws {
            let bus = try PrivateBus(in: folder.path)
            let machine = LinuxMachine(busPath: bus.path, patience: .seconds(60))
            // Nobody there: unknown, which is not metered, and known at once.
            #expect(
                await onThread {
                    let limit = LogDeadline.seconds(30)
                    return !machine.isMetered && !limit.hasPassed
                })
            let manager = try FakeNetworkManager(on: bus.path, answering: .value(state))
            #expect(await onThread { machine.isMetered } == (state == 1 || state == 3))
            #expect(manager.asked == ["org.freedesktop.NetworkManager Metered"])
        }

        @Test("D1: a NetworkManager that fails, or never answers, leaves the network unmetered, and nobody waits long")
        func badAnswers() async throws {
            let bus = try PrivateBus(in: folder.path)
            let cases: [(answer: FakeNetworkManager.Answer, patience: Duration)] = [
                (.failure, .seconds(60)), (.text, .seconds(60)), (.nothing, .seconds(1)),
            ]
            for (answer, patience) in cases {
                let manager = try FakeNetworkManager(on: bus.path, answering: answer)
                #expect(
                    await onThread {
                        let limit = LogDeadline.seconds(30)   // an answer that is none is not waited out
                        return !LinuxMachine(busPath: bus.path, patience: patience).isMetered && !limit.hasPassed
                    })
                withExtendedLifetime(manager) {}
            }
        }

        @Test("what a program prints whose standard streams are closed does not go to the bus")
        func closedStreams() async {
            let path = folder.path + "/bus"
            await #expect(processExitsWith: .success) { [path = path as String] in
                let listener = try #require(LocalSocket.listening(at: path))
                let open = Locked<[Int32]>([]), isOver = Gate()
                for stream: Int32 in 0...2 { close(stream) }
                LogThread.start("bus") {
                    let connection = Unshared.accept(listener)
                    let streams = [0, 1, 2].filter { (stream: Int32) in fcntl(stream, F_GETFD) >= 0 }
                    open.withLock { $0 = streams }
                    close(connection)
                    isOver.open()
                }
                #expect(throws: SystemBus.Failure.self) { _ = try SystemBus(at: path, by: .seconds(60)) }
                isOver.wait()
                #expect(open.withLock { $0 } == [])
            }
        }

        @Test("D1: no bus, a socket that nobody serves and one that says nothing are no metered network")
        func noBus() async throws {
            #expect(!LinuxMachine(busPath: "/nowhere/bus").isMetered)
            #expect(!LinuxMachine(busPath: folder.path).isMetered)
            #expect(!LinuxMachine(busPath: String(repeating: "a", count: 200)).isMetered)
            let silent = try #require(LocalSocket.listening(at: folder.path + "/silent"))
            defer { close(silent) }
            #expect(await onThread { LinuxMachine(busPath: folder.path + "/silent").isMetered } == false)
        }
    }
#endif
