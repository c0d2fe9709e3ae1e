internal import LogbookTrackingSyntax

/// Reads a plan's JSON. What it finds wrong it notes, and goes on, so that every mistake is reported at once.
package struct PlanReader {
    private let file: String
    private var document = PlanDocument()
    private var screenSelector: Placed<String>?

    /// - Parameter file: How the text is named in what is found wrong.
    package static func read(_ text: [UInt8], file: String) -> PlanDocument {
        var reader = PlanReader(file: file)
        do {
            reader.read(try PositionedJSONReader.read(text))
        } catch {
            reader.document.issues.append(
                PlanIssue(
                    PlanPlace(file: file, line: error.place.line, column: error.place.column),
                    "malformed plan: \(error.message)"))
        }
        return reader.document
    }

    private init(file: String) { self.file = file }

    private func place(_ place: PositionedJSON.Place) -> PlanPlace {
        PlanPlace(file: file, line: place.line, column: place.column)
    }

    private mutating func complain(_ position: PositionedJSON.Place, _ message: String) {
        document.issues.append(PlanIssue(place(position), message))
    }

    // MARK: The document

    private static let documentKeys = ["version", "screenSelector", "usecases", "trackedScreens", "trackedEvents"]

    private mutating func read(_ top: PositionedJSON) {
        guard checkKeys(of: top, Self.documentKeys, "the plan") else { return }
        if let version = top["version"], version.integer != 1 {
            complain(version.place, "this program reads plans of version 1")
        }
        let stated = text(top, "screenSelector")
        if let usecases = top["usecases"] { read(usecases: usecases) }
        for (key, kind) in [("trackedScreens", PlanEntry.Kind.screen), ("trackedEvents", .event)] {
            guard let list = top[key] else { continue }
            guard case .array(let elements) = list.value else {
                complain(list.place, "\"\(key)\" must be a list")
                continue
            }
            for element in elements {
                guard var entry = entry(element, kind) else { continue }
                if kind == .screen, entry.selector == nil, entry.point == nil {
                    entry.selector = stated ?? Placed("viewDidAppear(_:)", at: entry.type?.place ?? entry.place)
                }
                document.entries.append(entry)
            }
        }
    }

    private mutating func read(usecases: PositionedJSON) {
        guard case .object(let members) = usecases.value else {
            return complain(usecases.place, "\"usecases\" must be an object: { \"login\": { \"number\": 1, \"events\": { \"initiated\": 0 } } }")
        }
        for member in members {
            guard checkKeys(of: member.value, ["number", "events"], "a use case") else { continue }
            guard let number = member.value["number"]?.integer else {
                complain(member.value["number"]?.place ?? member.value.place, "the use case \"\(member.key)\" needs a whole \"number\"")
                continue
            }
            var usecase = PlanDocument.Usecase(number: number)
            if let events = member.value["events"] {
                guard case .object(let events) = events.value else {
                    complain(events.place, "\"events\" must be an object of names and numbers")
                    continue
                }
                for event in events {
                    if let number = event.value.integer {
                        usecase.events[event.key] = number
                    } else {
                        complain(event.value.place, "the event \"\(event.key)\" needs a whole number")
                    }
                }
            }
            document.usecases[member.key] = usecase
        }
    }

    // MARK: Entries

    private static let entryKeys = [
        "class", "selector", "point", "label", "advice", "metadata", "when", "instances", "providers", "level", "once", "every",
        "metadataFrom", "late", "private", "secret", "transaction",
    ]

    private mutating func entry(_ json: PositionedJSON, _ kind: PlanEntry.Kind) -> PlanEntry? {
        guard checkKeys(of: json, Self.entryKeys, kind == .screen ? "a screen" : "an event") else { return nil }
        let before = document.issues.count
        var entry = PlanEntry(kind, at: place(json.place))
        entry.point = text(json, "point")
        entry.type = text(json, "class", isRequired: json["point"] == nil)
        entry.selector = text(json, "selector", isRequired: kind == .event && json["point"] == nil)
        if let point = json["point"], let selector = json["selector"] {
            complain(selector.place, "an entry names a \"selector\" or a \"point\", not both (\"point\": \(point.string ?? "…"))")
        }
        entry.label = text(json, "label", isRequired: true)
        entry.advice = text(json, "advice")
        entry.condition = text(json, "when")
        entry.instances = text(json, "instances")
        entry.level = text(json, "level")
        entry.metadataSource = text(json, "metadataFrom")
        entry.providers = texts(json, "providers")
        entry.privateValues = texts(json, "private") ?? []
        entry.secretValues = texts(json, "secret") ?? []
        entry.isOnce = flag(json, "once")
        entry.isLate = flag(json, "late")
        if let every = json["every"] {
            if let number = every.integer, number >= 1 { entry.every = number } else { complain(every.place, "\"every\" must be a whole number of at least 1") }
        }
        readMetadata(json, into: &entry)
        if let transaction = json["transaction"] { entry.transaction = read(transaction: transaction) }
        // What is missing in the writing would only be reported a second time by looking further.
        return document.issues.count == before || entry.type != nil && entry.label != nil ? entry : nil
    }

    private mutating func readMetadata(_ json: PositionedJSON, into entry: inout PlanEntry) {
        guard let metadata = json["metadata"] else { return }
        guard case .object(let members) = metadata.value else {
            return complain(metadata.place, "\"metadata\" must be an object")
        }
        for member in members {
            let position = place(member.value.place)
            switch member.value.value {
            case .string(let text): entry.metadata.append((member.key, Placed(.text(text), at: position)))
            case .number(let number): entry.metadata.append((member.key, Placed(.number(number), at: position)))
            case .bool(let bool): entry.metadata.append((member.key, Placed(.bool(bool), at: position)))
            case .null, .array, .object:
                complain(member.value.place, "the metadata \"\(member.key)\" must be text, a number, true or false")
            }
        }
    }

    private static let transactionKeys = ["opens", "continues", "closes", "event", "by", "errorCode", "errorDescription"]

    private mutating func read(transaction json: PositionedJSON) -> PlanEntry.Transaction? {
        guard checkKeys(of: json, Self.transactionKeys, "a transaction") else { return nil }
        let actions = PlanEntry.Transaction.Action.allCases.filter { json[$0.rawValue] != nil }
        guard actions.count == 1, let action = actions.first else {
            complain(json.place, "a transaction has one of \"opens\", \"continues\" and \"closes\"")
            return nil
        }
        guard let usecase = number(json, action.rawValue) else { return nil }
        let transaction = PlanEntry.Transaction(
            action, usecase: usecase, event: number(json, "event"), by: text(json, "by"), errorCode: text(json, "errorCode"),
            errorDescription: text(json, "errorDescription"))
        if action == .continues, json["event"] == nil { complain(json.place, "\"continues\" needs an \"event\"") }
        return transaction
    }

    // MARK: Values

    private mutating func checkKeys(of json: PositionedJSON, _ known: [String], _ what: String) -> Bool {
        guard case .object(let members) = json.value else {
            complain(json.place, "\(what) must be an object")
            return false
        }
        for member in members where !known.contains(member.key) {
            complain(member.keyPlace, "unknown key \"\(member.key)\"\(NearMatches.hint(for: member.key, among: known))")
        }
        return true
    }

    private mutating func text(_ json: PositionedJSON, _ key: String, isRequired: Bool = false) -> Placed<String>? {
        guard let value = json[key] else {
            if isRequired { complain(json.place, "\"\(key)\" is missing") }
            return nil
        }
        guard let text = value.string, !text.isEmpty else {
            complain(value.place, "\"\(key)\" must be text that is not empty")
            return nil
        }
        return Placed(text, at: place(value.place))
    }

    private mutating func texts(_ json: PositionedJSON, _ key: String) -> [Placed<String>]? {
        guard let list = json[key] else { return nil }
        guard case .array(let elements) = list.value else {
            complain(list.place, "\"\(key)\" must be a list of texts")
            return nil
        }
        return elements.compactMap { element in
            guard let text = element.string, !text.isEmpty else {
                complain(element.place, "\"\(key)\" must be a list of texts")
                return nil
            }
            return Placed(text, at: place(element.place))
        }
    }

    private mutating func flag(_ json: PositionedJSON, _ key: String) -> Bool {
        guard let value = json[key] else { return false }
        if case .bool(let flag) = value.value { return flag }
        complain(value.place, "\"\(key)\" must be true or false")
        return false
    }

    private mutating func number(_ json: PositionedJSON, _ key: String) -> Placed<PlanEntry.Number>? {
        guard let value = json[key] else { return nil }
        if let number = value.integer { return Placed(.number(number), at: place(value.place)) }
        if let name = value.string, !name.isEmpty { return Placed(.name(name), at: place(value.place)) }
        complain(value.place, "\"\(key)\" must be a whole number, or a name from \"usecases\"")
        return nil
    }
}
