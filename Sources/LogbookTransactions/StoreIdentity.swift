#if Transactions
/// What keys of a store's entries begin with. A copy of it stands in the lock's file: should the database be damaged, or lose its
/// write-ahead log, no key is given twice all the same.
struct StoreIdentity: Equatable {
    var installation: String
    var epoch: Int64

    init(installation: String, epoch: Int64) {
        self.installation = installation
        self.epoch = epoch
    }

    /// `logbook transactions 586AB00B-F16E-4AE6-8A91-0210264925C7 0000000000000000003`, of the same length always, so that writing
    /// over it leaves nothing of the old one.
    var line: String {
        let number = "\(epoch)"
        return Self.mark + installation + " " + String(repeating: "0", count: max(0, 19 - number.count)) + number + "\n"
    }

    init?(line: some StringProtocol) {
        guard line.hasPrefix(Self.mark), line.hasSuffix("\n") else { return nil }
        let words = line.dropFirst(Self.mark.count).dropLast().split(separator: " ")
        guard words.count == 2, let epoch = Int64(words[1]), epoch >= 0 else { return nil }
        self.init(installation: String(words[0]), epoch: epoch)
    }

    private static let mark = "logbook transactions "
}
#endif
