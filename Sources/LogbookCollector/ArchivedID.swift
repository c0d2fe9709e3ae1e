#if Collector
    internal import LogbookTransactions

    extension TransactionParcel {
        /// The same with transactions under the ids that log events and questions give them. Only an id that would be kept longer than ids
        /// may be is another one: in texts that are kept each NUL takes three bytes.
        var withArchivedIDs: TransactionParcel {
            var parcel = self
            for (index, transaction) in set.transactions.enumerated() {
                let id = transaction.id.deliverableID
                if id.utf8.count < transaction.id.storable.utf8.count { parcel.set.transactions[index].id = id }
            }
            return parcel
        }
    }
#endif
