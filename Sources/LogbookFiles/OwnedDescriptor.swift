internal import LogbookCore

/// An open file or folder that is closed when the last user lets go of it.
final class OwnedDescriptor<Files: FileSystem>: Sendable {
    let descriptor: FileDescriptor
    private let files: Files

    init(_ descriptor: FileDescriptor, _ files: Files) {
        self.descriptor = descriptor
        self.files = files
    }

    deinit { files.close(descriptor) }
}
