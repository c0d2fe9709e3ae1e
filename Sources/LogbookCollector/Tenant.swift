/// Whose data it is: everything that an archive holds belongs to one tenant, and is seen by no other.
public enum Tenant {
    /// Where nothing else is said: what came before there were tenants, and what the single token brings.
    public static let standard = "default"

    /// A name is 1 to 64 letters, digits, dots, dashes and underscores, and does not begin with a dot.
    public static func isValid(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true  // 0-9 A-Z a-z - . _
                default: false
                }
            }
    }
}
