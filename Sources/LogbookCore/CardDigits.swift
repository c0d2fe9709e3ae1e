/// The digits of a number, for the two sums of which one is Luhn's, whichever the length.
struct CardDigits {
    private(set) var count = 0
    private var beginning = 0   // its first four digits
    private var sum = 0         // with every second digit doubled, the first one too
    private var otherSum = 0    // with every second digit doubled, not the first one

    mutating func append(_ digit: UInt8) {
        let digit = Int(digit), doubled = digit > 4 ? 2 * digit - 9 : 2 * digit
        if count < 4 { beginning = 10 * beginning + digit }
        sum += count % 2 == 0 ? doubled : digit
        otherSum += count % 2 == 0 ? digit : doubled
        count += 1
    }

    /// - Note: Source: ISO/IEC 7812-1, and the networks' ranges as they publish them.
    var isCard: Bool {
        guard (count % 2 == 0 ? sum : otherSum) % 10 == 0 else { return false }
        return switch beginning {
        case 4000...4999: count == 13 || count == 16 || count == 19             // Visa
        case 5100...5599, 2221...2720: count == 16                              // Mastercard
        case 3400...3499, 3700...3799: count == 15                              // American Express
        case 3000...3059, 3095, 3600...3699, 3800...3999: (14...19).contains(count)     // Diners Club
        case 3528...3589: (16...19).contains(count)                             // JCB
        case 6011, 6440...6599, 6200...6299, 8100...8171: (16...19).contains(count)     // Discover, UnionPay
        case 5000...5099, 5600...5899, 6000...6999: (13...19).contains(count)   // Maestro and others
        case 2200...2204: (16...19).contains(count)                             // Mir
        default: false
        }
    }
}
