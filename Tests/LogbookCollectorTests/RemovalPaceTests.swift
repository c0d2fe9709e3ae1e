@testable import LogbookCollector
import Testing

@Suite struct RemovalPaceTests {
    /// Removes what is of one size until no more is stored than may be left.
    private func remains(of items: Int, bytes: Int, target: Int, most: Int) -> (bytes: Int, steps: [Int]) {
        var left = items, steps: [Int] = []
        var pace = RemovalPace(from: left * bytes, to: target, most: most)
        while left * bytes > pace.target, steps.count < items {
            steps.append(pace.step)
            left -= min(left, pace.step)
            pace.note(isEmpty: false, leaving: left * bytes)
        }
        return (left * bytes, steps)
    }

    @Test("of whatever size they are, no more goes than has to", arguments: [100, 4096, 1 << 20])
    func noMoreGoesThanHasTo(bytes: Int) {
        let target = 64 << 20
        let found = remains(of: 10 * target / bytes, bytes: bytes, target: target, most: 1_000_000)
        #expect(found.bytes <= target && found.bytes > target - bytes, "\(found)")
        #expect(found.steps.count < 200, "\(found.steps)")
    }

    @Test func itBeginsWithOneAndEachStepIsAtMostTwiceTheOneBefore() {
        let steps = remains(of: 1_000_000, bytes: 100, target: 1 << 20, most: 999).steps
        #expect(Array(steps.prefix(11)) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 999])
        #expect(steps.allSatisfy { (1...999).contains($0) } && steps.last == 1)
    }

    @Test("what comes meanwhile, and steps that find nothing, say nothing of how much one takes")
    func whatSaysNothingIsNotCounted() {
        var pace = RemovalPace(from: 1000, to: 500, most: 100)
        pace.note(isEmpty: false, leaving: 5000)
        #expect(pace.step == 2)
        pace = RemovalPace(from: 1000, to: 500, most: 100)
        for _ in 0..<5 { pace.note(isEmpty: true, leaving: 1000) }
        #expect(pace.step == 32)
        pace.note(isEmpty: false, leaving: 680)   // ten bytes each: nine are half of what is too much
        #expect(pace.step == 9)
    }

    @Test func anArchiveThatRemovesOneAtATimeGoesOnWithOne() {
        var pace = RemovalPace(from: 1000, to: 500, most: 0)
        pace.note(isEmpty: false, leaving: 1000)
        #expect(pace.step == 1)
    }
}
