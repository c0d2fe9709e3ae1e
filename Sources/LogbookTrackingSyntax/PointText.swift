/// Declarations that take note of join points and types, for the macros' expansions and for woven files.
package enum PointText {
    /// A constant that the linker collects: the loader calls each before `main`.
    package static func record(_ call: String) -> String {
        """
        #if canImport(Darwin)
        @section("__DATA,__mod_init_func")
        #else
        @section(".init_array")
        #endif
        @used static let record: @convention(c) () -> Void = { \(call) }
        """
    }

    /// A gate with the record of its point. It is 8 bytes that the compiler initializes: a `static let` that runs code would cost
    /// every call a look whether it has run.
    package static func gate(named name: String, _ descriptor: PointDescriptor, access: String = "") -> String {
        """
        \(access)nonisolated enum \(name) {
        static let gate = LogbookTracking.TrackingGate4()
        \(record("LogbookTracking.TrackingExpansion4.register(\(descriptor.registration)) { gate.set($0) }"))
        }

        """
    }
}
