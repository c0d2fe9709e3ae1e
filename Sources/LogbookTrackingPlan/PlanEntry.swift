package import LogbookTrackingSyntax

/// One screen or event of a plan, as it is written.
package struct PlanEntry: Sendable {
    package enum Kind: String, Sendable { case screen, event }

    package enum Value: Sendable {
        case text(String)
        case number(PlanNumber)
        case bool(Bool)
    }

    /// A use case or an event of one: by its number, or by the name that the plan gives it.
    package enum Number: Sendable {
        case number(Int)
        case name(String)
    }

    package struct Transaction: Sendable {
        package enum Action: String, Sendable, CaseIterable { case opens, continues, closes }
        package var action: Action
        package var usecase: Placed<Number>
        package var event: Placed<Number>?
        package var by: Placed<String>?
        package var errorCode: Placed<String>?
        package var errorDescription: Placed<String>?

        package init(
            _ action: Action, usecase: Placed<Number>, event: Placed<Number>? = nil, by: Placed<String>? = nil,
            errorCode: Placed<String>? = nil, errorDescription: Placed<String>? = nil
        ) {
            self.action = action
            self.usecase = usecase
            self.event = event
            self.by = by
            self.errorCode = errorCode
            self.errorDescription = errorDescription
        }
    }

    package var kind: Kind
    package var place: PlanPlace
    package var type: Placed<String>?
    package var selector: Placed<String>?
    package var point: Placed<String>?
    package var label: Placed<String>?
    package var advice: Placed<String>?
    package var metadata: [(key: String, value: Placed<Value>)] = []
    package var condition: Placed<String>?
    package var instances: Placed<String>?
    package var providers: [Placed<String>]?
    package var level: Placed<String>?
    package var metadataSource: Placed<String>?
    package var privateValues: [Placed<String>] = []
    package var secretValues: [Placed<String>] = []
    package var isOnce = false
    package var every = 1
    package var isLate = false
    package var transaction: Transaction?

    package init(_ kind: Kind, at place: PlanPlace) {
        self.kind = kind
        self.place = place
    }
}
