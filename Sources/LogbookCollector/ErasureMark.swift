internal import LogbookCore

/// What stays of whom or what was erased: a digest by which the same text is known again, and from which it cannot be read.
public enum ErasureMark {
    /// SHA-256, in hexadecimal digits, of the tenant and the user.
    public static func user(_ user: String, tenant: String) -> String { digest("user", user, tenant) }

    /// SHA-256, in hexadecimal digits, of the tenant and the transaction's id.
    public static func transaction(_ id: String, tenant: String) -> String { digest("transaction", id, tenant) }

    /// Neither kind nor tenant can hold a line's end.
    private static func digest(_ kind: String, _ text: String, _ tenant: String) -> String {
        HexadecimalDigest.of("\(kind)\n\(tenant)\n\(text)".utf8)
    }
}
