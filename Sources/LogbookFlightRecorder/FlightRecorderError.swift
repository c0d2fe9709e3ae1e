internal import LogbookCore

/// Why a flight recorder could not be opened or read.
public enum FlightRecorderError: Error, Equatable, CustomStringConvertible {
    /// The ring must hold 64 KiB to 1 GiB.
    case invalidCapacity(bytes: Int)
    case cannotOpen(path: String, errno: Int32)
    /// A symbolic link, a pipe, a folder or a device stands where the file should be.
    case notARegularFile(path: String)
    case ownedBySomeoneElse(path: String, user: UInt32)
    /// The file has a second name, so writing to it might change what somebody else keeps there.
    case hasSeveralNames(path: String)
    /// Something else is in the file.
    case notAFlightRecorder(path: String)
    case writtenByNewerVersion(path: String, version: UInt32)
    /// Another recorder, of this process or another, writes to it.
    case inUse(path: String)
    /// There is no room on the disk, or no address space to map the file.
    case cannotMakeRoom(path: String, bytes: Int, errno: Int32)

    init(_ failure: RecorderFile.Failure, at path: String) {
        self =
            switch failure {
            case .cannotOpen(let errno): .cannotOpen(path: path, errno: errno)
            case .notARegularFile: .notARegularFile(path: path)
            case .ownedBySomeoneElse(let user): .ownedBySomeoneElse(path: path, user: user)
            case .hasSeveralNames: .hasSeveralNames(path: path)
            case .tooLarge: .notAFlightRecorder(path: path)
            case .inUse: .inUse(path: path)
            case .cannotMakeRoom(let bytes, let errno): .cannotMakeRoom(path: path, bytes: bytes, errno: errno)
            }
    }

    public var description: String {
        switch self {
        case .invalidCapacity(let bytes):
            "a flight recorder cannot hold \(bytes) bytes; choose 65536 to 1073741824"
        case .cannotOpen(let path, let errno):
            "cannot open \(path): \(SystemError.text(of: errno)); check that its folder exists and this user may write there"
        case .notARegularFile(let path):
            "\(path) is a link, a pipe, a folder or a device; move it away or choose another name"
        case .ownedBySomeoneElse(let path, let user):
            "\(path) belongs to the user with the id \(user); move it away or choose another folder"
        case .hasSeveralNames(let path):
            "\(path) has a second name (a hard link); move it away or choose another name"
        case .notAFlightRecorder(let path):
            "\(path) holds something else than a flight recorder; move it away or choose another name"
        case .writtenByNewerVersion(let path, let version):
            "\(path) was written in version \(version) of the format, by a newer Logbook; read it with that, or move it away"
        case .inUse(let path):
            "\(path) is already written by another flight recorder; give each process a file of its own"
        case .cannotMakeRoom(let path, let bytes, let errno):
            "cannot make \(path) \(bytes) bytes large: \(SystemError.text(of: errno)); free space or choose a smaller capacity"
        }
    }
}
