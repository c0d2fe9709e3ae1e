#if Transactions
/// Why nothing can be delivered. Nothing is lost: everything stays in the store.
public enum TransactionDeliveryError: Error, Equatable, CustomStringConvertible {
    case noToken
    case noStoreURL

    public var description: String {
        switch self {
        case .noToken: "transactions wait in the store: no token is set; set TransactionLogProvider.token"
        case .noStoreURL: "transactions wait in the store: no address of a remote store is set; set TransactionLogProvider.storeURL"
        }
    }
}
#endif
