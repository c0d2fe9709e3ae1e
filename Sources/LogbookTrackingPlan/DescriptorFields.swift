/// Takes apart the literals that the macro plug-in writes, whose parts are separated by characters of control. Concrete on purpose:
/// a thousand of them are read when a program starts.
package enum DescriptorFields {
    package static func split(_ bytes: UnsafeBufferPointer<UInt8>, at separator: UInt8) -> [UnsafeBufferPointer<UInt8>] {
        var fields: [UnsafeBufferPointer<UInt8>] = [], start = 0
        fields.reserveCapacity(10)
        for place in 0...bytes.count where place == bytes.count || bytes[place] == separator {
            fields.append(UnsafeBufferPointer(rebasing: bytes[start..<place]))
            start = place + 1
        }
        return fields
    }
}
