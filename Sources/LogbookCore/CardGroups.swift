/// How the digits of a number stand together: a card's as ``PrivacyDetector/cardNumber`` says; those of a UUID do not.
struct CardGroups {
    /// Digits of the group that has not ended.
    var latest = 0
    private var count = 0
    private var areFours = true
    private var isFourAndSix = false, isSix = false

    mutating func endLatest() {
        isSix = count == 0 && latest == 6
        isFourAndSix = count == 1 && areFours && latest == 6
        areFours = areFours && latest == 4
        count += 1
        latest = 0
    }

    var isOne: Bool { count == 0 }
    var areOfCard: Bool {
        isOne || (areFours && (latest <= 4 || (count == 2 && latest == 5))) || (isFourAndSix && (latest == 4 || latest == 5))
            || (isSix && latest == 13)
    }
}
