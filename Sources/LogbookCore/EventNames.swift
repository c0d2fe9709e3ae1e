// HOT PATH — where rules are in force, names are compared as bytes, without making strings.

/// The names under which rules find an event: its category, which goes first, and its module.
struct EventNames {
    let source: LogSource
    let category: String?

    /// The place of the first element that is about the category; when there is none, of the first that is about the module.
    func first<Element>(of elements: [Element], where isAbout: (Element, UnsafeBufferPointer<UInt8>) -> Bool) -> Int? {
        if var category, let place = category.withUTF8({ name in elements.firstIndex { isAbout($0, name) } }) { return place }
        return source.withModuleUTF8 { name in elements.firstIndex { isAbout($0, name) } }
    }
}

extension LogSource {
    /// The bytes of ``module``.
    func withModuleUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withFileUTF8 { file in
            body(UnsafeBufferPointer(rebasing: file[..<(file.firstIndex(of: UInt8(ascii: "/")) ?? 0)]))
        }
    }
}
