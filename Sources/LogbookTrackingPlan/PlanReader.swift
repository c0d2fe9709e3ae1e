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
        let stated = text(in: top, "screenSelector")
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
        guard let members = members(of: json, kind == .screen ? "a screen" : "an event") else { return nil }
        let before = document.issues.count
        var entry = PlanEntry(kind, at: place(json.place))
        for place in members.indices { read(members[place], into: &entry) }
        let names = members.lazy.map(\.key)
        if entry.type == nil, entry.point == nil, !names.contains("class"), !names.contains("point") { missing("class", in: json) }
        if kind == .event, entry.selector == nil, !names.contains("selector"), !names.contains("point") { missing("selector", in: json) }
        if entry.label == nil, !names.contains("label") { missing("label", in: json) }
        if let point = json["point"], let selector = json["selector"] {
            complain(selector.place, "an entry names a \"selector\" or a \"point\", not both (\"point\": \(point.string ?? "…"))")
        }
        // What is missing in the writing would only be reported a second time by looking further.
        return document.issues.count == before || entry.type != nil && entry.label != nil ? entry : nil
    }

    /// In one pass, because a thousand entries are read when a program starts.
    private mutating func read(_ member: PositionedJSON.Member, into entry: inout PlanEntry) {
        let key = member.key, value = member.value
        switch key {
        case "class": entry.type = text(value, key)
        case "selector": entry.selector = text(value, key)
        case "point": entry.point = text(value, key)
        case "label": entry.label = text(value, key)
        case "advice": entry.advice = text(value, key)
        case "metadata": read(metadata: value, into: &entry)
        case "when": entry.condition = text(value, key)
        case "instances": entry.instances = text(value, key)
        case "providers": entry.providers = texts(value, key)
        case "level": entry.level = text(value, key)
        case "once": entry.isOnce = flag(value, key)
        case "every":
            if let number = value.integer, number >= 1 {
                entry.every = number
            } else {
                complain(value.place, "\"every\" must be a whole number of at least 1")
            }
        case "metadataFrom": entry.metadataSource = text(value, key)
        case "late": entry.isLate = flag(value, key)
        case "private": entry.privateValues = texts(value, key) ?? []
        case "secret": entry.secretValues = texts(value, key) ?? []
        case "transaction": entry.transaction = read(transaction: value)
        default: unknown(member, among: Self.entryKeys)
        }
    }

    private mutating func read(metadata: PositionedJSON, into entry: inout PlanEntry) {
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
            action, usecase: usecase, event: number(json, "event"), by: text(in: json, "by"), errorCode: text(in: json, "errorCode"),
            errorDescription: text(in: json, "errorDescription"))
        if action == .continues, json["event"] == nil { complain(json.place, "\"continues\" needs an \"event\"") }
        return transaction
    }

    // MARK: Values

    private mutating func checkKeys(of json: PositionedJSON, _ known: [String], _ what: String) -> Bool {
        guard let members = members(of: json, what) else { return false }
        for member in members where !known.contains(member.key) { unknown(member, among: known) }
        return true
    }

    private mutating func members(of json: PositionedJSON, _ what: String) -> [PositionedJSON.Member]? {
        if case .object(let members) = json.value { return members }
        complain(json.place, "\(what) must be an object")
        return nil
    }

    private mutating func unknown(_ member: PositionedJSON.Member, among known: [String]) {
        complain(member.keyPlace, "unknown key \"\(member.key)\"\(NearMatches.hint(for: member.key, among: known))")
    }

    private mutating func missing(_ key: String, in json: PositionedJSON) { complain(json.place, "\"\(key)\" is missing") }

    private mutating func text(in json: PositionedJSON, _ key: String) -> Placed<String>? { json[key].flatMap { text($0, key) } }

    private mutating func text(_ value: PositionedJSON, _ key: String) -> Placed<String>? {
        guard let text = value.string, !text.isEmpty else {
            complain(value.place, "\"\(key)\" must be text that is not empty")
            return nil
        }
        return Placed(text, at: place(value.place))
    }

    private mutating func texts(_ list: PositionedJSON, _ key: String) -> [Placed<String>]? {
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

    private mutating func flag(_ value: PositionedJSON, _ key: String) -> Bool {
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
