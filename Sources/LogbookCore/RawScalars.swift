extension Unicode.Scalar {
    /// Whether it may stand neither raw in a line nor on a terminal: control characters (C0, DEL, C1), line and paragraph separators, and
    /// marks that reverse the direction of text.
    package var mayForge: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
