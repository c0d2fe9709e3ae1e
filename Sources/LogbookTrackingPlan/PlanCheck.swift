internal import LogbookTrackingSyntax

/// Compares a plan with a program: what is named is looked up, and what does not fit is said.
package struct PlanCheck {
    /// What the program has given names to. Nil where that is not known, as before the program runs: then it is not checked.
    package struct Names: Sendable {
        package var predicates: [String]?
        package var metadataSources: [String]?
        package var providers: [String]?

        package init(predicates: [String]? = nil, metadataSources: [String]? = nil, providers: [String]? = nil) {
            self.predicates = predicates
            self.metadataSources = metadataSources
            self.providers = providers
        }
    }

    private let catalog: PlanCatalog
    private let names: Names
    private let usecases: [String: PlanDocument.Usecase]
    package private(set) var issues: [PlanIssue] = []

    package init(_ catalog: PlanCatalog, names: Names, usecases: [String: PlanDocument.Usecase]) {
        self.catalog = catalog
        self.names = names
        self.usecases = usecases
    }

    /// Every entry that fits, and everything that is wrong with the others. One that is late is also among those that wait: further
    /// functions of its name may come.
    package static func check(
        _ document: PlanDocument, against catalog: PlanCatalog, names: Names
    ) -> (entries: [CheckedEntry], late: [PlanEntry], issues: [PlanIssue]) {
        var check = PlanCheck(catalog, names: names, usecases: document.usecases)
        check.issues = document.issues
        var entries: [CheckedEntry] = [], late: [PlanEntry] = []
        entries.reserveCapacity(document.entries.count)
        for place in document.entries.indices {   // not the entries themselves: each is half a kilobyte, and would be copied
            let isLate = document.entries[place].isLate
            if isLate {
                late.append(document.entries[place])
                if check.place(of: document.entries[place], isQuiet: true) == nil {
                    check.checkWriting(of: document.entries[place])
                    continue
                }
            }
            var checked = check.check(document.entries[place])
            if isLate { for index in checked.indices { checked[index].lateEntry = late.count - 1 } }
            entries += checked
        }
        return (entries, late, inOrder(check.issues))
    }

    /// As they come in the files, whichever look found them.
    private static func inOrder(_ issues: [PlanIssue]) -> [PlanIssue] {
        let files = issues.map(\.place.file)
        return issues.enumerated().sorted { left, right in
            let (a, b) = (left.element.place, right.element.place)
            if a.file != b.file {
                return (files.firstIndex(of: a.file) ?? 0) < (files.firstIndex(of: b.file) ?? 0)
            }
            return (a.line, a.column, left.offset) < (b.line, b.column, right.offset)
        }.map(\.element)
    }

    private mutating func complain(_ place: PlanPlace, _ message: String) { issues.append(PlanIssue(place, message)) }

    // MARK: Where

    /// The point that an entry names, and the type whose instances alone it means.
    package mutating func place(of entry: PlanEntry, isQuiet: Bool = false) -> (point: Int, instancesOf: Int?)? {
        if let point = entry.point {
            let shared = entry.type == nil ? catalog.aspectPoints(sharing: point.value) : []
            if !shared.isEmpty {   // said also of one that is late: waiting would not help
                let names = shared.map { "\"\($0)\"" }.joined(separator: " or ")
                complain(point.place, "the point \"\(point.value)\" is in several places; write \(names)")
                return nil
            }
            if let place = catalog.aspectPoint(point.value, in: entry.type?.value) { return (place, nil) }
            if !isQuiet {
                let name = (entry.type.map { $0.value + "." } ?? "") + point.value
                complain(point.place, "unknown point \"\(name)\"\(NearMatches.hint(for: point.value, among: catalog.aspectPointNames))")
            }
            return nil
        }
        guard let type = entry.type, let selector = entry.selector else { return nil }
        let isFree = type.value.isEmpty, name = isFree ? selector.value : type.value   // a plan in Swift names a free function alone
        let modules = isFree ? catalog.modules(ofFunction: name) : catalog.modules(sharing: name, with: selector.value)
        if !modules.isEmpty {
            if !isQuiet {
                let names = modules.map { "\"\($0).\(name)\"" }.joined(separator: " or ")
                complain(type.place, "the \(isFree ? "function" : "class") \"\(name)\" is in several modules; write \(names)")
            }
            return nil
        }
        if let found = catalog.lookup(type.value, selector.value) { return found }
        if isQuiet { return nil }
        guard catalog.isType(type.value) else {
            if catalog.unannotated.contains(type.value) {
                complain(type.place, "the class \"\(type.value)\" is there, but not annotated @TrackedType")
                return nil
            }
            let hint = NearMatches.hint(for: type.value, among: catalog.typeNames)
            complain(type.place, "unknown class \"\(type.value)\"\(hint.isEmpty ? "; is it annotated @TrackedType?" : hint)")
            return nil
        }
        let known = catalog.selectors(of: type.value), swift = NearMatches.swiftSelector(selector.value)
        if swift != selector.value, known.contains(swift) {
            complain(selector.place, "\"\(type.value)\" has no method \"\(selector.value)\"; in Swift it is \"\(swift)\"")
        } else if catalog.unannotated.contains(type.value + "." + selector.value) {
            complain(selector.place, "\"\(type.value)\" has the method \"\(selector.value)\", but it is not tracked")
        } else {
            let hint = NearMatches.hint(for: selector.value, among: known)
            complain(selector.place, "\"\(type.value)\" has no method \"\(selector.value)\" that can be tracked\(hint)")
        }
        return nil
    }

    // MARK: What

    /// The entry at the point that it names, and at every other point of that name; nothing when it does not fit one of them.
    private mutating func check(_ entry: PlanEntry) -> [CheckedEntry] {
        guard let found = place(of: entry) else { return [] }
        let places = catalog.all(found.point), before = issues.count
        if places.count == 1 { return check(entry, at: found.point, instancesOf: found.instancesOf).map { [$0] } ?? [] }
        var entries: [CheckedEntry] = [], wrong: [[PlanIssue]] = []
        for place in places {
            if let checked = check(entry, at: place, instancesOf: found.instancesOf) { entries.append(checked) }
            wrong.append(Array(issues[before...]))
            issues.removeSubrange(before...)
        }
        // What is wrong with all of them is said once, what is wrong with one says with which.
        let common = wrong[0].filter { issue in wrong.allSatisfy { $0.contains(issue) } }
        issues += common
        for (place, own) in zip(places, wrong) {
            let point = catalog.points[place]
            for issue in own where !common.contains(issue) {
                complain(issue.place, "\(issue.message); of several, this is the one in \(point.file):\(point.line)")
            }
        }
        return issues.count == before ? entries : []
    }

    private mutating func check(_ entry: PlanEntry, at place: Int, instancesOf: Int?) -> CheckedEntry? {
        let before = issues.count
        let point = catalog.points[place]
        let advice = advice(of: entry, at: point)
        var roots = PlanRoots()

        func template(_ text: Placed<String>, in check: inout PlanCheck) -> PlanTemplate {
            let template = PlanTemplate(text.value)
            for path in template.paths { check.resolve(path, at: text.place, point, advice, into: &roots) }
            return template
        }

        let label = entry.label.map { template($0, in: &self) } ?? PlanTemplate("")
        let metadata = entry.metadata.map { member -> (key: String, value: CheckedEntry.Value) in
            switch member.value.value {
            case .text(let text): (member.key, .template(template(Placed(text, at: member.value.place), in: &self)))
            case .number(let number): (member.key, .number(number))
            case .bool(let bool): (member.key, .bool(bool))
            }
        }
        let condition = entry.condition.flatMap { self.condition($0, point, advice, into: &roots) }
        if let type = instancesOf.map({ catalog.types[$0] }) {
            if point.kind != .staticMethod, !point.hasInstance {
                complain(entry.place, "\(point.name) has no instance, so those of \(type.name) cannot be told apart")
            } else if !type.hasInstanceTest {
                complain(
                    entry.place,
                    "\(point.name) is inherited, and instances of \(type.name), as of any generic type or protocol, cannot be told apart; "
                        + "the class that can be named is \"\(point.type)\"")
            }
        }
        let transaction = entry.transaction.flatMap { transaction -> CheckedEntry.Transaction? in
            guard let (usecase, event) = numbers(of: transaction) else { return nil }
            if transaction.by == nil { checkIdentity(of: point, at: transaction.usecase.place) }
            return CheckedEntry.Transaction(
                action: transaction.action, usecase: usecase, event: event,
                by: transaction.by.map { template($0, in: &self) },
                errorCode: transaction.errorCode.map { template($0, in: &self) },
                errorDescription: transaction.errorDescription.map { template($0, in: &self) })
        }
        let privateValues = values(entry.privateValues, among: roots), secretValues = values(entry.secretValues, among: roots)
        if let code = transaction?.errorCode, let place = entry.transaction?.errorCode?.place {
            for path in code.paths where privateValues.contains(path) || secretValues.contains(path) {
                let privacy = secretValues.contains(path) ? "secret" : "private"
                complain(place, "an error code is a number that nothing can mask, and \(path.description) is \(privacy)")
            }
        }
        checkNames(of: entry, at: point)
        guard issues.count == before else { return nil }
        return CheckedEntry(
            kind: entry.kind, point: place, instancesOf: instancesOf, label: label, advice: advice,
            metadata: metadata, condition: condition, tag: entry.instances?.value,
            providers: entry.providers.map { Set($0.map(\.value)) }, level: entry.level?.value,
            metadataSource: entry.metadataSource?.value, privateValues: privateValues, secretValues: secretValues,
            isOnce: entry.isOnce, every: entry.every, transaction: transaction, roots: roots)
    }

    /// What is wrong with an entry whatever it will report from: nobody has to wait for its point to hear of that. What the program
    /// gives names to may come as late as the point.
    private mutating func checkWriting(of entry: PlanEntry) {
        _ = advice(of: entry)
        _ = entry.condition.flatMap { read($0) }
        checkLevel(of: entry)
        _ = entry.transaction.flatMap { numbers(of: $0) }
    }

    private mutating func advice(of entry: PlanEntry) -> CheckedEntry.Advice? {
        guard let written = entry.advice else { return nil }
        if let advice = CheckedEntry.Advice(rawValue: written.value) { return advice }
        let known = CheckedEntry.Advice.allCases.map(\.rawValue)
        complain(written.place, "unknown advice \"\(written.value)\"\(NearMatches.hint(for: written.value, among: known))")
        return nil
    }

    private mutating func advice(of entry: PlanEntry, at point: JoinPointRecord) -> CheckedEntry.Advice {
        guard let written = entry.advice, let advice = advice(of: entry) else { return .after }
        if advice == .afterThrowing, !point.isThrowing {
            complain(written.place, "\(point.name) does not throw, so afterThrowing never happens")
        }
        if advice == .instead {
            if point.kind == .initializer || point.kind == .deinitializer {
                complain(written.place, "nothing can stand instead of an initializer")
            } else if point.kind == .point {
                complain(written.place, "there is nothing at a point that something could stand instead of")
            } else if point.form == .consumed {
                complain(written.place, "\(point.name) consumes its instance, and nothing can stand instead of that")
            } else if !point.returnsNothing || point.result == "Never" {
                complain(
                    written.place,
                    "\(point.name) returns \(point.result), which a plan cannot make up; give the program an around handler")
            }
        }
        return advice
    }

    private mutating func condition(
        _ written: Placed<String>, _ point: JoinPointRecord, _ advice: CheckedEntry.Advice,
        into roots: inout PlanRoots
    ) -> PlanCondition? {
        guard let condition = read(written) else { return nil }
        for path in condition.paths { resolve(path, at: written.place, point, advice, into: &roots) }
        for name in condition.predicates { checkName(name, at: written.place, among: names.predicates, what: "predicate") }
        return condition
    }

    private mutating func read(_ condition: Placed<String>) -> PlanCondition? {
        do { return try PlanConditionReader.read(condition.value) } catch {
            complain(condition.place.moved(by: 1 + error.offset), "bad condition: \(error.message) (at byte \(error.offset))")
            return nil
        }
    }

    private mutating func checkNames(of entry: PlanEntry, at point: JoinPointRecord) {
        if let source = entry.metadataSource {
            checkName(source.value, at: source.place, among: names.metadataSources, what: "metadata source")
        }
        for provider in entry.providers ?? [] {
            checkName(provider.value, at: provider.place, among: names.providers, what: "provider")
        }
        checkLevel(of: entry)
        if let tag = entry.instances, !point.hasInstance {
            complain(tag.place, "\(point.name) has no instance that could be marked")
        }
    }

    private mutating func checkLevel(of entry: PlanEntry) {
        guard let level = entry.level else { return }
        let known = ["verbose", "debug", "info", "notice", "warning", "error", "critical"]
        checkName(level.value, at: level.place, among: known, what: "level")
    }

    private mutating func checkName(_ name: String, at place: PlanPlace, among known: [String]?, what: String) {
        guard let known, !known.contains(name) else { return }
        complain(place, "unknown \(what) \"\(name)\"\(NearMatches.hint(for: name, among: known))")
    }

    // MARK: Values

    private mutating func resolve(
        _ path: PlanPath, at place: PlanPlace, _ point: JoinPointRecord, _ advice: CheckedEntry.Advice,
        into roots: inout PlanRoots
    ) {
        if roots[path] != nil { return }
        if let root = root(of: path, at: place, point, advice) { roots.add(path, root) }
    }

    private mutating func root(
        of path: PlanPath, at place: PlanPlace, _ point: JoinPointRecord, _ advice: CheckedEntry.Advice
    ) -> PlanPath.Root? {
        let isEarly = advice == .before || advice == .instead
        switch path.words[0] {
        case "arg": return argument(path, at: place, point)
        case "self":
            if !point.hasInstance {
                complain(place, "\(point.name) has no instance, so there is no $self")
            } else if point.leavesIsolation, path.words.count > 1 {
                complain(
                    place,
                    "\(point.name) is not isolated to its instance, so \(path.description) may be changing while it is read; "
                        + "only $self may be said there")
            } else {
                return .instance
            }
        case "result":
            if point.returnsNothing {
                complain(place, "\(point.name) returns nothing, so there is no $result")
            } else if point.kind == .initializer || isEarly {
                complain(place, "$result is not known \(isEarly ? "before the call" : "of an initializer")")
            } else if point.form == .consumed {
                complain(place, "$result is not known of a method that consumes its instance")
            } else {
                return .result
            }
        case "error":
            if !point.isThrowing {
                complain(place, "\(point.name) does not throw, so there is no $error")
            } else if isEarly {
                complain(place, "$error is not known before the call")
            } else {
                return .error
            }
        case "duration_ms":
            if !isEarly { return .duration }
            complain(place, "$duration_ms is not known before the call")
        case "type": return .type
        case "selector": return .selector
        default:
            complain(
                place, "unknown value \"\(path.description)\"\(NearMatches.hint(for: path.words[0], among: PlanPath.rootNames))")
        }
        return nil
    }

    private mutating func argument(_ path: PlanPath, at place: PlanPlace, _ point: JoinPointRecord) -> PlanPath.Root? {
        guard path.words.count > 1 else {
            complain(place, "$arg needs a parameter's name: $arg.\(point.parameters.first?.name ?? "name")")
            return nil
        }
        let name = path.words[1]
        guard let parameter = point.parameters.firstIndex(where: { $0.name == name || $0.label == name }) else {
            complain(
                place, "\(point.name) has no parameter \"\(name)\"\(NearMatches.hint(for: name, among: point.parameters.map(\.name)))")
            return nil
        }
        guard point.parameters[parameter].isCapturable else {
            complain(place, "the parameter \"\(name)\" of \(point.name) cannot be captured")
            return nil
        }
        return .argument(point.parameters[..<parameter].count { $0.isCapturable })
    }

    /// The paths that are to be kept from readers; one that the entry does not show is a slip that would look like safety.
    private mutating func values(_ written: [Placed<String>], among roots: PlanRoots) -> Set<PlanPath> {
        var values: Set<PlanPath> = []
        for text in written {
            if let path = PlanPath(text.value), roots[path] != nil {
                values.formUnion(roots.paths(within: path))
            } else {
                let hint = NearMatches.hint(for: text.value, among: roots.paths.map(\.description))
                complain(text.place, "nothing in this entry shows \"\(text.value)\"\(hint)")
            }
        }
        return values
    }

    // MARK: Transactions

    private mutating func numbers(of transaction: PlanEntry.Transaction) -> (usecase: Int, event: Int?)? {
        let known: [String: Int], number: Int
        switch transaction.usecase.value {
        case .number(let given):
            number = given   // several names may have it
            known = usecases.values.filter { $0.number == given }.reduce(into: [:]) { $0.merge($1.events, uniquingKeysWith: min) }
        case .name(let name):
            guard let named = usecases[name] else {
                complain(
                    transaction.usecase.place, "unknown use case \"\(name)\"\(NearMatches.hint(for: name, among: Array(usecases.keys)))")
                return nil
            }
            known = named.events
            number = named.number
        }
        switch transaction.event?.value {
        case nil: return (number, nil)
        case .number(let event): return (number, event)
        case .name(let name):
            if let event = known[name] { return (number, event) }
            if let place = transaction.event?.place {
                complain(place, "unknown event \"\(name)\"\(NearMatches.hint(for: name, among: Array(known.keys)))")
            }
            return nil
        }
    }

    private mutating func checkIdentity(of point: JoinPointRecord, at place: PlanPlace) {
        let type = catalog.type(point.type).map { catalog.types[$0] }
        if point.owner == .object || point.owner == .unknown && type?.isReference != false { return }
        complain(
            place,
            "\(point.name) has no object to which a transaction could belong; say with \"by\" what tells its runs apart")
    }
}
