#if Examples
    public import Logbook
    import LogbookTracking

    /// Two accounts of what people did: the one that the program gives by hand, and the one that the plan takes from the screens.
    public struct ScreenTracking: Sendable {
        private let byHand = TransactionTally(), byPlan = TransactionTally()
        private let tracker: Tracker

        /// - Parameter service: The one that hears what is said by hand.
        /// The plan reports to a service of its own, so that the collector does not count everything twice.
        public init(beside service: LogService) throws {
            let screens = LogService()
            service.register(byHand, name: "by hand")
            screens.register(byPlan, name: "by plan")
            tracker = Tracker(screens)
            try tracker.start(TrackingPlan(json: PackageResources.tracking_plan_json, file: "tracking-plan.json"))
        }

        public func add(to summary: inout Summary) {
            summary.add("client entries by hand", byHand.total)
            summary.add("client entries by plan", byPlan.total)
            summary.add("client entries that differ", byHand.difference(from: byPlan))
        }
    }
#endif
