#if Collector
    internal import LogbookCore

    extension CollectorService {
        /// An answer that ends the handling of a request wherever it is.
        ///
        /// Every refusal has the same shape: a fixed word, the field when it is one field's fault, a reason for people, and an id by which
        /// the remark is found that was made of it. Nothing of the inside is told to who asked.
        struct Refusal: Error {
            static let idHeader = "X-Request-Id"

            let status: Int
            let error: String
            let field: String?
            let reason: String
            /// The cursor with which a list goes on behind what it cannot give; nil for everything else.
            let next: String?
            let headers: [String: String]
            /// What whoever runs the collector is told beside; nil where the fault is the request's alone.
            let cause: String?

            init(
                _ status: Int, _ error: String, field: String? = nil, reason: String, next: String? = nil, headers: [String: String] = [:],
                cause: String? = nil
            ) {
                self.status = status
                self.error = error
                self.field = field
                self.reason = reason
                self.next = next
                self.headers = headers
                self.cause = cause
            }

            init(shortage: String) {
                self.init(
                    503, "disk_full", reason: "there is no room to store this now; send the same again later",
                    headers: ["Retry-After": "60"], cause: shortage)
            }

            /// Whether nothing was wrong with what was sent: at another time the same would have been taken.
            var isOurs: Bool { status == 503 && field == nil }

            /// Twelve hexadecimal digits: few enough to read out, and enough to be the only ones of their days.
            static func makeID() -> String { UniqueID.make().suffix(12).lowercased() }

            func answer(_ id: String) -> CollectorAnswer {
                var body = JSONText()
                body.add("error", error)
                if let field { body.add("field", field) }
                body.add("reason", reason)
                if let next { body.add("next", next) }
                body.add("id", id)
                return .json(status, body, headers: headers.merging([Self.idHeader: id]) { own, _ in own })
            }

            /// Who says the remark. Of each only so many are shown, and what senders do wrong must not hide what is wrong here.
            var origin: String { cause == nil ? "collector requests" : "collector" }

            /// What is said to whoever runs the collector: nothing of what was sent.
            func remark(_ id: String) -> String {
                "request \(id) was answered with \(status) \(error)" + (cause.map { ": \($0)" } ?? "")
            }
        }
    }
#endif
