@testable import LogbookCore
import Testing

@Suite struct MessageTextTests {
    private let text = MessageText()

    private func made(_ message: LogMessage) -> (String, isClean: Bool) {
        let answer: (String, Bool)? = message.withPieces { pieces in
            guard case .words(let words) = pieces else { return ("", false) }
            let (bytes, isClean) = text.make(MessageWords(words: words))
            return (String(decoding: bytes, as: UTF8.self), isClean)
        }
        return answer ?? ("", false)
    }

    @Test func textIsMadeOfEveryKindOfPiece() {
        let part = "xpart".dropFirst()
        for _ in 0..<2 {   // the second time, literals are known
            let (text, isClean) = made("\(1)a\(-7) \(Int64.min) \(UInt64.max) \(0.5) \(true) \(part) é \("x", privacy: .public)")
            #expect(text == "1a-7 -9223372036854775808 18446744073709551615 0.5 true part é x" && isClean)
        }
    }

    @Test func whatMustBeEscapedIsSeenInLiteralsAndTexts() {
        for _ in 0..<2 {
            #expect(!made("\(1) \"").isClean)
            #expect(!made("\(1) \\").isClean)
            #expect(!made("\(1) \n").isClean)
            #expect(!made("\("\u{202E}")").isClean)
            #expect(!made("\("a\u{1B}")\("b")").isClean)
            #expect(made("\("é") ü").isClean)
        }
    }

    @Test func aLongMessageHasRoomAndIsForgotten() {
        let long = String(repeating: "0123456789", count: 5_000)
        #expect(made("<\(long)> \(5) <\(long)>").0 == "<\(long)> 5 <\(long)>")
        text.trim()
        #expect(made("\(5)").0 == "5")
    }

    @Test func shortTextsOfEveryLengthAreCopiedWhole() {
        let source = Array(UInt8(1)...100)
        for count in 0...100 {
            var target = [UInt8](repeating: 0, count: 110)
            source.withUnsafeBufferPointer { source in
                target.withUnsafeMutableBufferPointer { copyBytes(count, from: source.baseAddress!, to: $0.baseAddress! + 4) }
            }
            #expect(target == [0, 0, 0, 0] + source[..<count] + [UInt8](repeating: 0, count: 106 - count))
        }
    }
}
