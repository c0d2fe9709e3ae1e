import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogServiceTests {
    @Test func eachProviderHearsOnlyItsOwnLevels() {
        let console = RecordingProvider(), file = RecordingProvider(), service = LogService()
        service.register(console, from: .debug)
        service.register(file, from: .warning)

        service.log(.info, "cart opened")
        service.log(.error, "payment refused")

        #expect(console.messages == ["cart opened", "payment refused"])
        #expect(file.messages == ["payment refused"])
    }
}
