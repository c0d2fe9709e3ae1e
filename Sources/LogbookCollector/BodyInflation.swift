#if Collector
/// What becomes of a gzip body.
enum BodyInflation {
    case inflated([UInt8])
    case tooLarge
    case damaged

    static func inflate(_ bytes: [UInt8], limit: Int) -> BodyInflation { .damaged }
}
#endif
