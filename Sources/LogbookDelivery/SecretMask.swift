/// Takes secrets out of what a receiver said: `unknown token ***`.
struct SecretMask {
    /// A shorter one is too likely to be a word.
    private static let minimumBytes = 8
    /// The longest first: one may hold another.
    private let secrets: [String]

    init(_ secrets: [String]) {
        // Without its padding as well: encoders of JSON write that as `\u003d`.
        let bare = secrets.map { secret in String(secret.reversed().drop { $0 == "=" }.reversed()) }
        self.secrets = Set((secrets + bare).flatMap(Self.forms)).filter { $0.utf8.count >= Self.minimumBytes }
            .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// A secret as encoders of JSON write it: `\/` of PHP, `\u002B` of .NET, `\u003d` of Java, and all of it.
    private static func forms(of secret: String) -> [String] {
        var forms = [secret, secret.replacing("/", with: "\\/")]
        for escaped in ["+&'<>", "=&'<>", "/+=&'<>"] {
            for isUppercase in [true, false] {
                forms.append(
                    secret.reduce(into: "") { form, character in
                        guard escaped.contains(character), let byte = character.asciiValue else { return form.append(character) }
                        form += "\\u00" + String(byte, radix: 16, uppercase: isUppercase)   // none of them is below 0x10
                    })
            }
        }
        return forms
    }

    func applied(to text: String) -> String {
        // By bytes: a mark behind a secret would make another character of its last one.
        var masked = Array(text.utf8)
        for secret in secrets { masked = masked.replacing(Array(secret.utf8), with: Array("***".utf8)) }
        let text = String(decoding: masked, as: UTF8.self)
        // What was cut may end within one, and within a character.
        let bytes = Array((text.hasSuffix("\u{FFFD}") ? text.dropLast() : text[...]).utf8)
        let beginnings = secrets.compactMap { secret -> Int? in
            let secret = Array(secret.utf8)
            return (Self.minimumBytes..<secret.count).last { bytes.suffix($0).elementsEqual(secret.prefix($0)) }
        }
        guard let count = beginnings.max() else { return text }
        return String(decoding: bytes.dropLast(count), as: UTF8.self) + "***"
    }
}
