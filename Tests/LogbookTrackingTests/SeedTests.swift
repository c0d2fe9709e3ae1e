import LogbookTestKit
import LogbookTracking
import Testing

extension TrackingTests {
    /// What the seed article asks for.
    @Suite(.serialized) struct Seed {
        @Test("1: a screen of the plan is one event, with its label, in every provider")
        func screenIsOneEvent() throws {
            let tracked = Tracked()
            try tracked.following(#"{ "trackedScreens": [ { "class": "MainScreen", "label": "Main screen" } ] }"#) {
                MainScreen().viewDidAppear(true)
            }
            for provider in [tracked.analytics, tracked.mix] {
                #expect(provider.messages == ["Main screen"])
                #expect(provider.events.first?.category == "tracking.screen")
                #expect(provider.events.first?.level == .info)
                #expect(provider.events.first?.source.file == "LogbookTrackingTests/Fixtures.swift")
                #expect(provider.events.first?.source.function == "viewDidAppear(_:)")
                #expect(provider.events.first?.source.line == 11)
            }
        }

        @Test("2: a screen that inherits the method is told apart from its sisters")
        func inheritedMethodFiltersByType() throws {
            let tracked = Tracked()
            try tracked.following(#"{ "trackedScreens": [ { "class": "MainScreen", "label": "Main" } ] }"#) {
                OtherScreen().viewDidAppear(true)
                #expect(tracked.labels.isEmpty)
                MainScreen().viewDidAppear(true)
            }
            #expect(tracked.labels == ["Main"])
        }

        @Test("3, 4 and 11: the article's events come with their metadata, each where it is wanted")
        func articlesPlan() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "version": 1,
                  "trackedScreens": [ { "class": "BaseScreen", "label": "Main screen" } ],
                  "trackedEvents": [
                    { "class": "MainScreen", "selector": "loginViewFetchedUserInfo(_:user:)", "label": "Login with Facebook",
                      "metadata": { "network": "facebook", "user": "$arg.user" } },
                    { "class": "MainScreen", "selector": "loginView(_:handleError:)", "label": "Login error with Facebook",
                      "metadata": { "error": "$arg.error" } },
                    { "class": "MainScreen", "selector": "share(_:)", "label": "Share button", "providers": ["mix"] } ] }
                """#
            ) {
                let screen = MainScreen()
                screen.viewDidAppear(true)
                screen.loginViewFetchedUserInfo("view", user: "kim")
                screen.loginView("view", handleError: PurchaseError.code(3))
                #expect(screen.share(1) == "shared 1 share(_:)")
                screen.untracked()
            }
            #expect(tracked.labels == ["Main screen", "Login with Facebook", "Login error with Facebook"])
            #expect(tracked.mix.messages == tracked.labels + ["Share button"])
            #expect(tracked.metadata(1) == ["network": "facebook", "user": "kim"])
            #expect(tracked.metadata(2) == ["error": "code(3)"])
        }

        @Test("10: without a plan nothing is reported")
        func withoutPlanThereIsSilence() throws {
            let tracked = Tracked()
            try tracked.following(#"{ "trackedScreens": [ { "class": "MainScreen", "label": "Main" } ] }"#) {}
            MainScreen().viewDidAppear(true)
            #expect(tracked.analytics.events.isEmpty)
        }
    }
}
