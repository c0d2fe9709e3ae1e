internal import LogbookCore

extension LogFileReader {
    /// Whether the folder holds anything of the log: its active file, an archive, or what is known of archives that are gone.
    package func isThere() throws(FileLogProviderError) -> Bool {
        let files = RestartingFileSystem(SystemFileSystem()), log = try LogFileName(name)
        do throws(SystemError) {
            let opened = OwnedDescriptor(try files.openFolder(at: folder), files)
            return try files.names(in: opened.descriptor).contains {
                $0 == log.active || $0 == log.manifest || ArchiveName($0, of: log) != nil
            }
        } catch { throw .cannotRead(path: folder, errno: error.number) }
    }
}
