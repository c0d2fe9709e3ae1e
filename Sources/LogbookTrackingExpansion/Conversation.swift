package import LogbookTrackingSyntax

/// What the compiler asks and the plug-in answers, without the streams.
package struct Conversation {
    /// The versions of the protocol that this plug-in is tested with, and the one it answers with.
    static let knownVersions = 7...7

    /// What the compiler said its version is, when it is one that nobody here knows.
    private var unknownVersion: Int?
    private var hasComplained = false

    package init() {}

    package mutating func answer(to message: PositionedJSON) -> String {
        if let question = message["getCapability"] {
            let version = question["capability"]?["protocolVersion"]?.integer ?? 0
            if !Self.knownVersions.contains(version) { unknownVersion = version }
            return #"{"getCapabilityResult":{"capability":{"protocolVersion":\#(Self.knownVersions.upperBound)}}}"#
        }
        guard let question = message["expandAttachedMacro"] ?? message["expandFreestandingMacro"] else {
            return Expansion.Answer(source: nil).json
        }
        let request = ExpansionRequest(question)
        if let unknownVersion {
            if hasComplained { return Expansion.Answer(source: "").json }
            hasComplained = true
            return Expansion.Answer(
                source: nil,
                problem: "this compiler speaks version \(unknownVersion) of the macro protocol, and LogbookTracking knows "
                    + "version \(Self.knownVersions.upperBound) only; take a LogbookTracking that knows this compiler, or another compiler",
                place: request.attributePlace
            ).json
        }
        return Expansion(request).answer().json
    }
}
