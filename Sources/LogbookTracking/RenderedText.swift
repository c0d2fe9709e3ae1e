internal import LogbookCore
internal import LogbookTrackingPlan

/// Text with values in it, ready to be filled in.
struct RenderedText: Sendable {
    private enum Part: Sendable {
        case text(String)
        case value(ValuePath, LogPrivacy)
    }
    private let parts: [Part]
    /// Its value, when there is nothing else in it.
    let soleValue: ValuePath?

    init(_ template: PlanTemplate, _ entry: CheckedEntry) {
        parts = template.parts.map { part in
            switch part {
            case .text(let text): .text(text)
            case .value(let path): ValuePath(path, entry).map { .value($0, entry.privacy(of: path)) } ?? .text("")
            }
        }
        soleValue = template.soleValue.flatMap { ValuePath($0, entry) }
    }

    /// For metadata, which is guarded as a whole.
    func plain(_ call: TrackedCall) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let path, _): path.text(in: call)
            }
        }.joined()
    }

    /// For a message, where each value is guarded by itself.
    func message(_ call: TrackedCall) -> LogMessage {
        var interpolation = LogMessage.StringInterpolation(literalCapacity: 32, interpolationCount: parts.count)
        for part in parts {
            switch part {
            case .text(let text): interpolation.appendInterpolation(text)
            case .value(let path, let privacy): interpolation.appendInterpolation(path.text(in: call), privacy: privacy)
            }
        }
        return LogMessage(stringInterpolation: interpolation)
    }
}
