#if Examples
    import LogbookTracking

    // What the people of this example look at. Nothing here knows that anybody counts: tracking-plan.json says what is reported.

    /// A form that is filled in and sent.
    @TrackedType class FormScreen {
        private(set) var isWaiting = false
        fileprivate(set) var message = ""

        func appear() {}
        func cancel() { message = "canceled" }
        func submit() { isWaiting = true }

        func show(status: Int, text: String) {
            isWaiting = false
            message = text
        }

        func showSilence(reason: String) {
            isWaiting = false
            message = "no answer: " + reason
        }
    }

    @TrackedType final class AccountScreen: FormScreen {}
    @TrackedType final class LogInScreen: FormScreen {}
    @TrackedType final class VehicleScreen: FormScreen {}
    @TrackedType final class PurchaseScreen: FormScreen {}

    /// Fetches changes, when there is a network.
    @TrackedType final class ChangesScreen: FormScreen {
        func stayOffline() { message = "offline" }
    }
#endif
