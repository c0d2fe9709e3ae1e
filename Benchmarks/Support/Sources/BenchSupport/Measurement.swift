#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A folder of the benchmark's own in `parent`; the program ends where there can be none.
public func makeFolder(_ name: String, in parent: String) -> String {
    var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
        print("\(parent) cannot be written")
        exit(73)
    }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Measures, prints the table, removes the folder and ends the program: with 0 when every goal is met, with 1 when one is missed.
public func finish(_ program: String, removing folder: String, _ measure: () throws -> [Row]) -> Never {
    var status: Int32 = 0
    do {
        status = Row.printTable(try measure()) ? 0 : 1
    } catch {
        print("\(program): \(error)")
        status = 70
    }
    _ = try? BenchSupport.measure(["rm", "-r", folder])
    exit(status)
}
