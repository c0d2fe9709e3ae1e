import Testing

@testable import LogbookCore

@Suite struct SipHashTests {
    /// The reference implementation's vectors: key 00…0f, input 00, 01, ….
    @Test(arguments: [
        (count: 0, hash: 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (2, 0x0D6C_8009_D9A9_4F5A),
        (3, 0x8567_6696_D7FB_7E2D), (7, 0xAB02_00F5_8B01_D137), (8, 0x93F5_F579_9A93_2462), (15, 0xA129_CA61_49BE_45E5),
    ] as [(count: Int, hash: UInt64)])
    func hashesAsTheReferenceDoes(count: Int, hash: UInt64) throws {
        let key = try #require(PrivacyKey(hexadecimal: "000102030405060708090a0B0C0D0E0F"))
        #expect(key.hash((0..<count).map(UInt8.init)) == hash)
    }

    @Test func aKeyIsThirtyTwoDigitsAndPrintedNowhere() {
        #expect(PrivacyKey(hexadecimal: "00010203") == nil)
        #expect(PrivacyKey(hexadecimal: "+0010203040506070809+a0b0c0d0e0f") == nil)
        let key = PrivacyKey.random()
        #expect(key != PrivacyKey.random() && key == key)
        #expect("\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children.count)" == "*** *** 0")
    }
}
