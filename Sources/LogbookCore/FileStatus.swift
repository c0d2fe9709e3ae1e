/// What the file system knows about one file.
package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable { case regular, folder, symbolicLink, other }

    package let kind: Kind
    package let device: UInt64
    package let inode: UInt64
    package let bytes: Int
    /// The user id it belongs to.
    package let owner: UInt32
    /// How many names it has; 0 once the last was removed while someone still holds it open.
    package let links: UInt64
    /// The lower twelve bits of the mode: `0o600`.
    package let permissions: UInt32

    /// When its content was changed last, by the machine's clock.
    package let modified: LogTime

    package init(
        kind: Kind, device: UInt64, inode: UInt64, bytes: Int, owner: UInt32, links: UInt64, permissions: UInt32,
        modified: LogTime
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.bytes = bytes
        self.owner = owner
        self.links = links
        self.permissions = permissions
        self.modified = modified
    }

    /// Whether both describe the same file, under whatever name.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
