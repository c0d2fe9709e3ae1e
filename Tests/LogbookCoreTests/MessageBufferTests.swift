@testable import LogbookCore
import LogbookTestKit
import Synchronization
import Testing

@Suite struct MessageBufferTests {
    func write(_ number: UInt64, to buffer: MessageBuffer) {
        buffer.start.pointee = number << 3 | MessageWord.Kind.small.rawValue
        buffer.finish(at: buffer.start + 1)
    }

    @Test func aThreadUsesItsBufferAgain() async {
        let isSame = await onThread {
            let first = MessageBuffer.take()
            let identity = ObjectIdentifier(first)
            MessageBuffer.giveBack(consume first)
            return ObjectIdentifier(MessageBuffer.take()) == identity
        }
        #expect(isSame)
    }

    @Test func aBufferThatSomebodyHoldsIsNotUsedAgain() async {
        let texts = await onThread {
            let held = MessageBuffer.take()
            write(1, to: held)
            MessageBuffer.giveBack(held)
            let other = MessageBuffer.take()
            write(2, to: other)
            return [held.words.string, other.words.string]
        }
        #expect(texts == ["1", "2"])
    }

    @Test func aMessageThatOutlivesItsCallKeepsItsText() {
        let service = LogService(), provider = RecordingProvider()
        service.register(provider)
        var kept: [LogMessage] = []
        for number in 0..<3 {
            let message: LogMessage = "kept \(number)"
            service.info(message)
            kept.append(message)
            service.info("another \(number * 1000)")
        }
        #expect(kept.map(\.description) == ["kept 0", "kept 1", "kept 2"])
        #expect(
            provider.messages == ["kept 0", "another 0", "kept 1", "another 1000", "kept 2", "another 2000"])
    }

    @Test func aLogCallInsideAnInterpolationHasABufferOfItsOwn() {
        let service = LogService(), provider = RecordingProvider()
        service.register(provider)
        func price(_ amount: Int) -> Int {
            service.debug("asked for the price of \(amount)")
            return amount * 2
        }
        service.info("one \(price(1)), two \(price(2))")
        #expect(provider.messages == ["asked for the price of 1", "asked for the price of 2", "one 2, two 4"])
    }

    /// Looks at what a lock of the program guards when it is described, and logs under that lock.
    private final class Account: CustomStringConvertible, Sendable {
        let service: LogService
        let amount = Mutex(7)
        init(_ service: LogService) { self.service = service }
        var description: String {
            amount.withLock { amount in
                service.debug("looks at \(amount)")
                return "account of \(amount)"
            }
        }
    }

    @Test("row 34: a value that logs, under a lock that others hold while they log, holds nobody up", arguments: [LogDelivery.immediate, .queued()])
    func aValueThatLogsAndLocks(_ delivery: LogDelivery) {
        let service = LogService(), provider = RecordingProvider(), isOver = Locked(0)
        service.register(provider, delivery: delivery)
        let account = Account(service)
        for _ in 1...4 {
            LogThread.start("says") {
                for _ in 1...100 {
                    service.info("\(account)")
                    account.amount.withLock { service.info("inside: \($0)") }
                }
                isOver.withLock { $0 += 1 }
            }
        }
        #expect(becomesTrue { isOver.withLock { $0 == 4 } })
        #expect(service.flush(by: .seconds(30)).isComplete)
        let counts = Dictionary(grouping: provider.messages) { $0 }.mapValues(\.count)
        #expect(counts == ["account of 7": 400, "looks at 7": 400, "inside: 7": 400])
    }

    @Test func aLongMessageGrowsTheBufferAndLeavesItBehind() async {
        let long = String(repeating: "0123456789", count: 10_000)
        let message: LogMessage = "<\(long)> \(7) <\(long)>"
        #expect(message.description == "<" + long + "> 7 <" + long + ">")
        let service = LogService(), provider = RecordingProvider()
        service.register(provider)
        let isKept = await onThread {
            service.info("\(long)")
            let buffer = MessageBuffer.take()
            return buffer.end - buffer.start > MessageBuffer.maximumKeptCapacity
        }
        #expect(!isKept && provider.messages == [long])
    }

    @Test func manyPiecesHaveRoom() {
        let message: LogMessage = """
            \(1)\(2)\(3)\(4)\(5)\(6)\(7)\(8)\(9)\(10) \("text") \(Substring("part")) \(true) \(0.1) \(UInt64.max) \(Int64.min)
            """
        #expect(message.description == "12345678910 text part true 0.1 18446744073709551615 -9223372036854775808")
        let numbers = (0..<MessageBuffer.initialCapacity * 3).map { $0 }
        var interpolation = LogMessage.StringInterpolation(literalCapacity: 0, interpolationCount: numbers.count)
        for number in numbers { interpolation.appendInterpolation(number) }
        #expect(LogMessage(stringInterpolation: interpolation).description == numbers.map(String.init).joined())
    }

    @Test func aThreadThatEndsLetsItsBufferGo() async {
        final class Watch: Sendable { let buffer = Locked<Weak>(Weak()) }
        struct Weak: @unchecked Sendable { weak var buffer: MessageBuffer? }
        let watch = Watch()
        await onThread {
            let buffer = MessageBuffer.take()
            watch.buffer.withLock { $0.buffer = buffer }
            MessageBuffer.giveBack(consume buffer)
        }
        // The thread answers before it has ended; its end frees the buffer.
        let deadline = LogDeadline.seconds(30)
        while watch.buffer.withLock({ $0.buffer != nil }), !deadline.hasPassed { LogThread.yield() }
        #expect(watch.buffer.withLock { $0.buffer == nil })
    }

    @Test(arguments: [
        0, 9, 10, 99, 100, 101, 999, 1000, 12_345, 4_294_967_296, UInt64.max - 1, UInt64.max, 10_000_000_000_000_000_000,
    ])
    func numbersAreWrittenAsSwiftWritesThem(_ number: UInt64) {
        #expect(("\(number)" as LogMessage).description == String(number))
        let signed = Int64(truncatingIfNeeded: number)
        #expect(("\(signed)" as LogMessage).description == String(signed))
    }
}
