/// How the digits of a number stand together: a card's in one piece, in fours, or in groups of 4, 6 and 4 or 5; those of a UUID do not.
struct CardGroups {
    /// Digits of the group that has not ended.
    var latest = 0
    private var count = 0
    private var areFours = true
    private var isFourAndSix = false

    mutating func endLatest() {
        isFourAndSix = count == 1 && areFours && latest == 6
        areFours = areFours && latest == 4
        count += 1
        latest = 0
    }

    var isOne: Bool { count == 0 }
    var areOfCard: Bool { isOne || (areFours && latest <= 4) || (isFourAndSix && (latest == 4 || latest == 5)) }
}
