import Foundation
@testable import LogbookTracking
import Testing

/// A type's description and how a declaration spells it.
@Suite struct TypeSpellingTests {
    struct Receipt {}
    enum PayError: Error { case refused }
    protocol Payable {}

    @Test("a spelling is told to be that of a type, whatever sugar stands inside", arguments: [
        (Int.self, "Int"), (Int.self, "Swift.Int"), (Int?.self, "Int?"), (Int?.self, "Optional<Int>"), (Int?.self, "Int!"),
        (Int??.self, "Int??"),
        (Void.self, "Void"), (Void.self, "()"), (Void?.self, "Void?"), ([Int?].self, "[Int?]"),
        ([String: [Int]].self, "[String : Array<Int>]"),
        ([[String: Int?]: [Int]].self, "[[String: Int?]: [Int]]"), ((Int, String?).self, "(Int, String?)"),
        ((Int, [String]?).self, "(Int,[String]?)"),
        ((a: Int, b: Receipt?).self, "(a: Int, b: Receipt?)"), ((Int, (String?, [Int])).self, "(Int, (String?, [Int]))"),
        (Int?.self, "(Int)?"),
        (Result<Receipt?, PayError>.self, "Result<Receipt?, PayError>"),
        (Result<Receipt?, PayError>.self, "Swift.Result<App.Receipt?, Self.PayError>"),
        ([Result<[Int], PayError>]?.self, "[Result<[Int], PayError>]?"), (((Int, String?) -> Receipt?).self, "(Int, String?) -> Receipt?"),
        ((@Sendable () async throws -> Void).self, "@Sendable () async throws -> Void"), ((() -> () -> Int?).self, "() -> () -> Int?"),
        (((Int?) -> Int?)?.self, "((Int?) -> Int?)?"), ((any Error).self, "any Error"), ((any Payable)?.self, "(any Payable)?"),
        ([any Error].self, "[any Error]"), ((any Payable & Sendable).self, "any Sendable & Payable"),
        (Any?.self, "Any?"), ((any Sendable)?.self, "(any Sendable)?"), ([String: Any].self, "[String: Any]"),
    ] as [(Any.Type, String)])
    func same(type: Any.Type, spelling: String) {
        #expect(TypeSpelling.isSame(String(describing: type), spelling), "\(type)")
    }

    @Test("another type is told to be another", arguments: [
        (Int?.self, "Int"), ((Int, String).self, "(Int, String?)"), (Result<Receipt, PayError>.self, "Result<Receipt?, PayError>"),
        (((Int) -> Int?).self, "(Int) -> Int"), ([Int].self, "[Int: Int]"), ((a: Int, b: Int).self, "(Int, Int)"), (Int??.self, "Int?"),
        (TimeInterval.self, "TimeInterval"),   // what stands for another type is not looked through
    ] as [(Any.Type, String)])
    func other(type: Any.Type, spelling: String) {
        #expect(!TypeSpelling.isSame(String(describing: type), spelling), "\(type)")
    }
}
