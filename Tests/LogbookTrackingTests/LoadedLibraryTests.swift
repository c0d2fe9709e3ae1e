import LogbookTestKit
@testable import LogbookTracking
import Synchronization
import Testing

extension TrackingTests {
    /// What the loader reports while a plan is live, as it does for a library that a program opens. `Tests/tracking-in-a-package` opens
    /// a real one.
    @Suite(.serialized) struct LoadedLibraries {
        static let shown = Atomic<UInt>(0), hidden = Atomic<UInt>(0), other = Atomic<UInt>(0)

        @Test("27: entries that wait find a point and its types in whichever order the library brings them, and keep the handlers that are there")
        func anyOrder() throws {
            let tracked = Tracked()
            tracked.tracker.around("LoadedLibraryScreen.show()", returning: Int.self) { _, proceed in try proceed() + 1 }
            tracked.tracker.around("Cart.count()", returning: Int.self) { _, proceed in try proceed() + 1000 }
            TrackingExpansion4.register("Loaded\u{1F}LoadedLibraryScreen\u{1F}show()\u{1F}method\u{1F}\u{1F}Int\u{1F}0\u{1F}0\u{1F}Loaded/x.swift\u{1F}3\u{1F}wrapped\u{1F}object", "Loaded/x.swift", "show()") {
                Self.shown.store($0, ordering: .relaxed)
            }
            try tracked.tracker.start(TrackingPlan(json: #"""
                { "trackedEvents": [
                  { "class": "LoadedLibraryHome", "selector": "show()", "label": "shown", "late": true },
                  { "class": "LoadedLibraryScreen", "selector": "hide()", "label": "hidden", "late": true },
                  { "class": "NeverLoaded", "selector": "hide()", "label": "never", "late": true } ] }
                """#))
            defer { tracked.tracker.stop() }
            #expect(Self.hidden.load(ordering: .relaxed) == 0)
            let before = Self.shown.load(ordering: .relaxed)
            #expect(before != 0)   // the handler

            TrackingExpansion4.register("Loaded\u{1F}LoadedLibraryScreen\u{1F}hide()\u{1F}method\u{1F}\u{1F}Void\u{1F}0\u{1F}0\u{1F}Loaded/x.swift\u{1F}4\u{1F}wrapped\u{1F}object", "Loaded/x.swift", "hide()") {
                Self.hidden.store($0, ordering: .relaxed)
            }
            TrackingExpansion4.register("Loaded\u{1F}LoadedLibraryScreen\u{1F}leave()\u{1F}method\u{1F}\u{1F}Void\u{1F}0\u{1F}0\u{1F}Loaded/x.swift\u{1F}5\u{1F}wrapped\u{1F}object", "Loaded/x.swift", "leave()") {
                Self.other.store($0, ordering: .relaxed)
            }
            #expect(Self.hidden.load(ordering: .relaxed) != 0)
            #expect(Self.other.load(ordering: .relaxed) == 0)
            // The class that only inherits, and what stands between the two.
            TrackingExpansion4.registerType("Loaded\u{1F}LoadedLibraryScreen\u{1F}class\u{1F}\u{1F}Loaded/x.swift\u{1F}2") { $0 is LoadedStandIn }
            TrackingExpansion4.registerType("Loaded\u{1F}LoadedLibraryHome\u{1F}class\u{1F}LoadedLibraryMiddle\u{1F}Loaded/x.swift\u{1F}9") { $0 is LoadedStandIn }
            TrackingExpansion4.registerType("Loaded\u{1F}LoadedLibraryMiddle\u{1F}class\u{1F}LoadedLibraryScreen\u{1F}Loaded/x.swift\u{1F}8") { $0 is LoadedStandIn }

            let point = try #require(JoinPoint.at(address: Self.shown.load(ordering: .relaxed)))
            #expect(point.run({ LoadedStandIn() }, { [] }) { 1 } == 2)
            #expect(point.run({ "another" }, { [] }) { 1 } == 2)
            #expect(tracked.labels == ["shown"])
            #expect(Cart().count() == 1000)
        }

        static let early = Atomic<UInt>(0), meanwhile = Atomic<UInt>(0)

        @Test("27: what the loader reports while a plan is being started is found by the entries that wait for it")
        func whileStarting() throws {
            func register(_ selector: StaticString, _ descriptor: StaticString, _ setGate: @escaping @Sendable (UInt) -> Void) {
                TrackingExpansion4.register(descriptor, "Loaded/x.swift", selector, setGate)
            }
            register("early()", "Loaded\u{1F}LoadedMeanwhile\u{1F}early()\u{1F}method\u{1F}\u{1F}Int\u{1F}0\u{1F}0\u{1F}Loaded/x.swift\u{1F}20\u{1F}wrapped\u{1F}object") { gate in
                // Set while the plan is started: another thread opens a library just then.
                if gate != 0, Self.early.exchange(gate, ordering: .relaxed) == 0 {
                    TrackingExpansion4.register(
                        "Loaded\u{1F}LoadedMeanwhile\u{1F}late()\u{1F}method\u{1F}\u{1F}Int\u{1F}0\u{1F}0\u{1F}Loaded/x.swift\u{1F}21\u{1F}wrapped\u{1F}object",
                        "Loaded/x.swift", "late()") { Self.meanwhile.store($0, ordering: .relaxed) }
                }
            }
            let tracked = Tracked()
            try tracked.tracker.start(TrackingPlan(json: #"""
                { "trackedEvents": [
                  { "class": "LoadedMeanwhile", "selector": "early()", "label": "early" },
                  { "class": "LoadedMeanwhile", "selector": "late()", "label": "late", "late": true } ] }
                """#))
            defer { tracked.tracker.stop() }
            let point = try #require(JoinPoint.at(address: Self.meanwhile.load(ordering: .relaxed)))
            #expect(point.run({ nil }, { [] }) { 1 } == 1)
            #expect(tracked.labels == ["late"])
        }
    }
}

final class LoadedStandIn {}
