internal import LogbookCore

/// Why losses cannot be recorded.
public enum LossRecordError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, errno: Int32)
    /// A symbolic link, a pipe, a folder or a device stands where the file should be.
    case notARegularFile(path: String)
    case ownedBySomeoneElse(path: String, user: UInt32)
    /// The file has a second name, so writing to it might change what somebody else keeps there.
    case hasSeveralNames(path: String)
    /// Something else is in the file.
    case notALossRecord(path: String)
    case writtenByNewerVersion(path: String, version: UInt32)
    /// Another service, of this process or another, records there.
    case inUse(path: String)
    /// The service records its losses already.
    case recordedAlready(path: String)
    /// There is no room on the disk, or no memory to map the file.
    case cannotMakeRoom(path: String, bytes: Int, errno: Int32)
    /// The file system writes to a new place each time: on a full disk a count would end the program.
    case noLastingRoom(path: String)

    init(_ failure: RecorderFile.Failure, at path: String) {
        self =
            switch failure {
            case .cannotOpen(let errno): .cannotOpen(path: path, errno: errno)
            case .notARegularFile: .notARegularFile(path: path)
            case .ownedBySomeoneElse(let user): .ownedBySomeoneElse(path: path, user: user)
            case .hasSeveralNames: .hasSeveralNames(path: path)
            case .tooLarge: .notALossRecord(path: path)
            case .inUse: .inUse(path: path)
            case .cannotMakeRoom(let bytes, let errno): .cannotMakeRoom(path: path, bytes: bytes, errno: errno)
            }
    }

    public var description: String {
        switch self {
        case .cannotOpen(let path, let errno):
            "cannot open \(path): \(SystemError.text(of: errno)); check that its folder exists and this user may write there"
        case .notARegularFile(let path):
            "\(path) is a link, a pipe, a folder or a device; move it away or choose another name"
        case .ownedBySomeoneElse(let path, let user):
            "\(path) belongs to the user with the id \(user); move it away or choose another folder"
        case .hasSeveralNames(let path):
            "\(path) has a second name (a hard link); move it away or choose another name"
        case .notALossRecord(let path):
            "\(path) holds something else than a record of losses; move it away or choose another name"
        case .writtenByNewerVersion(let path, let version):
            "\(path) was written in version \(version) of the format, by a newer Logbook; move it away or choose another name"
        case .inUse(let path):
            "losses are already recorded in \(path) by another service; give each service of each process a file of its own"
        case .recordedAlready(let path):
            "the service records its losses already; \(path) is left as it is"
        case .cannotMakeRoom(let path, let bytes, let errno):
            "cannot make \(path) \(bytes) bytes large: \(SystemError.text(of: errno)); free space or choose another folder"
        case .noLastingRoom(let path):
            "\(path) lies on btrfs, ZFS, bcachefs or overlayfs, where a full disk would end the program; "
                + "choose a folder on tmpfs, such as /run or /dev/shm, or on ext4 or XFS"
        }
    }
}
