import LogbookCore
import Testing

@testable import LogbookConsole

@Suite struct ConsoleColourTests {
    @Test(arguments: [
        (terminal: true, environment: ["TERM": "xterm"], applies: true),
        (terminal: false, environment: ["TERM": "xterm"], applies: false),
        (terminal: true, environment: ["TERM": "dumb"], applies: false),
        (terminal: true, environment: [:], applies: false),
        (terminal: true, environment: ["TERM": "xterm", "NO_COLOR": "1"], applies: false),
        (terminal: true, environment: ["TERM": "xterm", "NO_COLOR": ""], applies: true),
        (terminal: false, environment: ["FORCE_COLOR": "1"], applies: true),
        (terminal: true, environment: ["TERM": "xterm", "FORCE_COLOR": "0"], applies: false),
        (terminal: false, environment: ["FORCE_COLOR": "1", "NO_COLOR": "1"], applies: false),
    ])
    func automaticLooksAtTheTerminalAndTheEnvironment(terminal: Bool, environment: [String: String], applies: Bool) {
        #expect(ConsoleColour.automatic.applies(isTerminal: terminal) { environment[$0] } == applies)
    }

    @Test func alwaysAndNeverDoNotLook() {
        #expect(ConsoleColour.always.applies(isTerminal: false) { _ in "1" })
        #expect(!ConsoleColour.never.applies(isTerminal: true) { _ in "xterm" })
    }
}
