import LogbookTestKit
import Testing

@testable import LogbookCore

struct UnmarkedTextsTests {
    private let heard = RecordingProvider()

    private func service(_ rules: PrivacyRules = PrivacyRules(unmarkedTexts: .private), _ mode: PrivacyMode = .masked) -> LogService {
        let service = LogService(privacy: mode)
        service.privacyRules = rules
        service.register(heard)
        return service
    }

    @Test("S4: where it is asked for, a text that nobody marked is private, and literals, numbers and truth values are not")
    func messages() {
        let service = service(), name = "Ann"
        service.info("user \(name) has \(2) carts of \(-1_234_567), \(0.5), \(true) and \(name, privacy: .public)\(name)")
        service.info("\(name)\(name, privacy: .secret)x\([1, 2])")
        service.info("a literal")
        service.log(.info, name)
        service.info("\("")nothing")
        #expect(heard.events.map(\.message) == [
            "user <private> has 2 carts of -1234567, 0.5, true and Ann<private>", "<private><secret>x<private>", "a literal", "<private>",
            "nothing",
        ])
    }

    @Test("S4: so are texts of metadata, however deep, except under keys that are exempt or say where an event belongs")
    func metadata() {
        let service = service(PrivacyRules(exemptKeys: ["gateway"], unmarkedTexts: .private))
        service.info("m", metadata: [
            "category": "net", "gateway": "north", "name": "Ann", "count": 2, "paid": true, "none": nil, "list": ["a", 1],
            "inner": ["city": "Ulm", "gateway": "south"], "open": .public("yes"), "shut": .secret("no"),
        ])
        #expect(heard.events[0].metadata == [
            "category": "net", "gateway": "north", "name": "<private>", "count": 2, "paid": true, "none": nil, "list": ["<private>", 1],
            "inner": ["city": "<private>", "gateway": "south"], "open": "yes", "shut": "<secret>",
        ])
    }

    @Test func exemptKeysAreComparedAsTheOthersAre() {
        let service = service(PrivacyRules(keys: ["pay"], exemptKeys: ["payGateway", "city"], unmarkedTexts: .private))
        service.info(
            "m", metadata: ["pay_gateway": "north", "CITY": "Ulm", "Pay-Gateway": ["city": "south"], "Category": "net", "town": "Ulm"])
        #expect(heard.events[0].metadata == [
            "pay_gateway": "north", "CITY": "Ulm", "Pay-Gateway": ["city": "south"], "Category": "<private>", "town": "<private>",
        ])
    }

    @Test func numbersOfEveryTypeAreShown() {
        let service = service()
        service.info("\(Float(0.1)) \(Float(-1.5)) \(Float.infinity) \(Int8(-3)) \(UInt64.max) \(0.1)")
        #expect(heard.events[0].message == "0.1 -1.5 inf -3 18446744073709551615 0.1")
        #if !(os(macOS) && arch(x86_64))
            service.info("\(Float16(2.5))")
            #expect(heard.events[1].message == "2.5")
        #endif
    }

    private struct Refused: LogDescribableError {
        let customer: String
        var logDescription: LogMessage { "payment refused for \(customer), code \(7)" }
    }

    @Test("S4: and the descriptions of errors and entries")
    func errors() {
        let service = service()
        service.error("m", error: Refused(customer: "Ann"))
        service.error("m", error: ScriptedFailure("the disk of Ann is full"))
        service.transaction(usecase: 1).log(2, error: 3, "no account for Ann")
        #expect(heard.events.compactMap(\.error?.description) == ["payment refused for <private>, code 7", "<private>"])
        #expect(heard.events.last?.transaction?.errorDescription == "<private>")
    }

    @Test func whoMaySeeEverythingSeesItAndHashesStillMatch() {
        let revealed = service(PrivacyRules(unmarkedTexts: .private), .revealed)
        revealed.info("user \("Ann")", metadata: ["name": "Ann"])
        #expect(heard.events[0].message == "user Ann" && heard.events[0].metadata == ["name": "Ann"])
        let hashed = service(PrivacyRules(unmarkedTexts: .private), .hashed)
        hashed.info("\("Ann")", metadata: ["name": "Ann"])
        #expect(heard.events[1].message.hasPrefix("<private:") && heard.events[1].metadata["name"] == .string(heard.events[1].message))
        let secret = service(PrivacyRules(unmarkedTexts: .secret), .revealed)
        secret.info("\("Ann")")
        #expect(heard.events[2].message == "<secret>")
    }

    @Test func rulesWorkBesideIt() {
        let service = service(PrivacyRules(keys: ["password"], detectors: [.cardNumber], found: .secret, unmarkedTexts: .private))
        service.info("card 4111 1111 1111 1111 of \("Ann")", metadata: ["password": "x", "name": "Ann"])
        #expect(heard.events[0].message == "card <secret> of <private>")
        #expect(heard.events[0].metadata == ["password": "<secret>", "name": "<private>"])
    }
}
