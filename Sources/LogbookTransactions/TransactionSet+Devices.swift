package import LogbookCore

extension DeviceFacts {
    /// A device of which not everything is known: a fact that nobody has said is empty.
    /// - Returns: Nil where nothing is known.
    package static func known(make: String?, os: String?, osVersion: String?) -> DeviceFacts? {
        if make == nil, os == nil, osVersion == nil { return nil }
        let device = DeviceFacts(make: make ?? "", os: os ?? "", osVersion: osVersion ?? "")
        return device.make.isEmpty && device.os.isEmpty && device.osVersion.isEmpty ? nil : device
    }
}

extension TransactionSet {
    /// The same set as one may travel: each element names one device, and its entries have none of their own. Those that had one stand
    /// behind their transaction, in further elements with its id.
    package var withDevicesApart: TransactionSet {
        if transactions.allSatisfy(\.hasOneDevice) { return self }
        return TransactionSet(transactions: transactions.flatMap(\.devicesApart))
    }
}

extension TransactionRecord {
    fileprivate var hasOneDevice: Bool { entries.allSatisfy { $0.device == nil } }

    /// The transaction with the entries that have no device of their own, and behind it one element for each other device, in the order in
    /// which they appear.
    fileprivate var devicesApart: [TransactionRecord] {
        if hasOneDevice { return [self] }
        var head = self
        head.entries = []
        var parts = [head]
        var places: [[[UInt8]]: Int] = [:]   // by bytes: texts that only look alike are two
        for var entry in entries {
            guard let device = entry.device else {
                parts[0].entries.append(entry)
                continue
            }
            entry.device = nil
            let key = [device.make, device.os, device.osVersion].map { Array($0.utf8) }
            if let place = places[key] {
                parts[place].entries.append(entry)
                continue
            }
            places[key] = parts.count
            var part = head
            (part.deviceMake, part.deviceOS, part.deviceOSVersion) = (device.make, device.os, device.osVersion)
            part.entries = [entry]
            parts.append(part)
        }
        return parts
    }
}
