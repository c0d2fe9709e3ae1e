#if Collector
    internal import LogbookTransactions

    /// What a set says about one transaction, from all places where it does: whoever says something first is believed.
    struct TransactionFacts {
        let id: String
        let usecase: Int
        private(set) var deviceMake: String?
        private(set) var deviceOS: String?
        private(set) var deviceOSVersion: String?
        private(set) var user: String?
        private(set) var variant: String?
        private(set) var appVersion: String?
        private(set) var session: String?
        private(set) var installation: String?

        init(_ record: TransactionRecord) {
            id = record.id.storable
            usecase = record.usecase
            add(record)
        }

        mutating func add(_ record: TransactionRecord) {
            func known(_ text: String?) -> String? { text?.isEmpty == false ? text?.storable : nil }
            deviceMake = deviceMake ?? known(record.deviceMake)
            deviceOS = deviceOS ?? known(record.deviceOS)
            deviceOSVersion = deviceOSVersion ?? known(record.deviceOSVersion)
            user = user ?? known(record.user)
            variant = variant ?? known(record.variant)
            appVersion = appVersion ?? known(record.appVersion)
            session = session ?? known(record.session)
            installation = installation ?? known(record.installation)
        }

        /// Adds a column for each fact that is known.
        func add(to row: inout ArchiveRow) {
            row.add("usecase", usecase)
            row.add("device_make", deviceMake)
            row.add("device_os", deviceOS)
            row.add("device_os_version", deviceOSVersion)
            row.add("user_id", user)
            row.add("variant", variant)
            row.add("app_version", appVersion)
            row.add("session", session)
            row.add("installation", installation)
        }
    }
#endif
