extension String {
    /// Whether both are the same bytes. Swift also takes those for equal that only look alike, such as `é` in one scalar and in two.
    package func isSameText(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
