import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Whose files they are, and who may read them.
@Suite struct FileAccessTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/app.log" }

    @Test(
        "F19, S7, row 18: links, pipes and folders in the file's place are refused",
        arguments: [
            "ln -s target app.log", "ln -s nowhere app.log", "mkfifo app.log", "mkdir app.log",
        ])
    func notAFile(command: String) throws {
        folder.write("untouched\n", to: "target")
        output(of: "cd '\(folder.path)' && \(command)")
        #expect(throws: FileLogProviderError.notARegularFile(path: path)) { try FileLogProvider(in: folder.path) }
        #expect(folder.text("target") == "untouched\n")
    }

    @Test("S7: a file with a second name is refused")
    func hardLink() throws {
        folder.write("untouched\n", to: "target")
        output(of: "cd '\(folder.path)' && ln target app.log")
        #expect(throws: FileLogProviderError.hasSeveralNames(path: path)) { try FileLogProvider(in: folder.path) }
    }

    @Test("S7: a file of another user is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
    func otherOwner() throws {
        output(of: "cd '\(folder.path)' && touch app.log && chown 12345 app.log")
        #expect(throws: FileLogProviderError.ownedBySomeoneElse(path: path, user: 12345)) {
            try FileLogProvider(in: folder.path)
        }
    }

    @Test(
        "S7: a manifest or a lock file of another user is refused", .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: [".app.manifest", ".app.lock"])
    func otherOwnerBesideTheFile(name: String) async throws {
        let path = folder.path
        output(of: "cd '\(path)' && touch \(name) && chown 12345 \(name) && chown 65534 .")
        await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
            try #require(setuid(65534) == 0)
            #expect(throws: FileLogProviderError.ownedBySomeoneElse(path: path + "/" + name, user: 12345)) {
                try FileLogProvider(in: path)
            }
            try #require(unlink(path + "/" + name) == 0)
            let provider = try FileLogProvider(in: path, format: MessageFormat())
            provider.log(event("mended"))
        }
        #expect(folder.text("app.log") == "mended\n")
    }

    @Test(
        "S6: files are for their owner alone, and folders that had to be made, whatever the umask",
        arguments: [
            "000", "022", "077",
        ])
    func permissions(mask: String) async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String, mask = mask as String] in
            umask(mode_t(mask, radix: 8)!)
            let provider = try FileLogProvider(
                in: path + "/deep/er", format: MessageFormat(), rolling: RollingPolicy(maximumBytes: 1))
            provider.log(event("one"))
            provider.log(event("two"))
        }
        let modes = output(of: "cd '\(path)/deep' && stat -c %a . er er/app.log er/app-*.log er/.app.lock")
        #expect(modes == "700\n700\n600\n600\n600\n")
    }

    @Test func aFolderThatExistsKeepsItsMode() throws {
        output(of: "chmod 750 '\(folder.path)'")
        _ = try FileLogProvider(in: folder.path)
        #expect(output(of: "stat -c %a '\(folder.path)'") == "750\n")
    }

    @Test(
        "F19: a folder that others may write in is remarked upon, unless each may remove what is its own alone",
        arguments: ["777", "770", "1777", "755"])
    func openFolder(mode: String) async throws {
        let path = folder.path
        output(of: "chmod \(mode) '\(path)'")
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = path as String] in
            _ = try FileLogProvider(in: path)
        }
        let remarks = String(decoding: child?.standardErrorContent ?? [], as: UTF8.self)
        #expect(remarks.contains("other users may replace files in \(path)") == ["777", "770"].contains(mode))
    }

    @Test("F19: a child process does not inherit the file")
    func closedOnExec() throws {
        let provider = try FileLogProvider(in: folder.path)
        #expect(!output(of: "ls -l /proc/self/fd/").contains(folder.path))
        withExtendedLifetime(provider) {}
    }

    @Test("S10: a folder's path with a zero in it is refused, not cut off")
    func zeroInPath() {
        #expect(throws: FileLogProviderError.cannotOpenFolder(path: folder.path + "\0/x", errno: EINVAL)) {
            try FileLogProvider(in: folder.path + "\0/x")
        }
    }

    @Test func aFileInTheFoldersPlaceIsRefused() throws {
        folder.write("", to: "file")
        #expect(throws: FileLogProviderError.cannotOpenFolder(path: folder.path + "/file", errno: ENOTDIR)) {
            try FileLogProvider(in: folder.path + "/file")
        }
    }

    @Test("F27: a folder this user may not write in gives one clear error, and works once it is mended")
    func readOnlyFolder() async throws {
        let path = folder.path
        output(of: "chmod 555 '\(path)'; [ $(id -u) != 0 ] || chown 65534 '\(path)'")
        await #expect(processExitsWith: .success) { [path = path as String] in
            if geteuid() == 0 { try #require(setuid(65534) == 0) }
            #expect(throws: FileLogProviderError.cannotOpen(path: path + "/app.log", errno: EACCES)) {
                try FileLogProvider(in: path)
            }
            try #require(chmod(path, 0o700) == 0)
            let provider = try FileLogProvider(in: path, format: MessageFormat())
            provider.log(event("mended"))
        }
        #expect(folder.text("app.log") == "mended\n")
    }

    @Test func errorsNameTheThingAndTheRemedy() {
        let error = FileLogProviderError.cannotOpen(path: "/var/log/app.log", errno: EACCES)
        #expect(
            error.description
                == "cannot open /var/log/app.log for appending: Permission denied (errno 13); check that its "
                + "folder exists and this user may write there")
    }

    @Test("on NFS only what was opened for writing can be locked alone: a file is, where that is allowed", arguments: [true, false])
    func lockable(isFolder: Bool) throws {
        let files = SystemFileSystem()
        let logs = try files.openFolder(at: folder.path)
        if isFolder { try files.makeFolder(at: path) } else { folder.write("x", to: "app.log") }
        let file = try files.openForLocking("app.log", in: logs)
        let flags = fcntl(file.number, F_GETFL)
        #expect(flags & O_ACCMODE == (isFolder ? O_RDONLY : O_RDWR))
        #expect(try files.tryLock(file))
        files.close(file)
        files.close(logs)
    }

    @Test("F24: a file that is closed is free at once, though a child that is just being started has it too")
    func aChildKeepsNoFile() throws {
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat())
        provider.log(event("x"))
        var named = stat()
        #expect(stat(path, &named) == 0)
        // Between fork(2) and execve(2) a child has what its parent had open: the same locks, as a duplicate has.
        let inherited = (3..<Int32(4096)).filter { number in
            var open = stat()
            return fstat(number, &open) == 0 && open.st_ino == named.st_ino && open.st_dev == named.st_dev
        }.map { dup($0) }
        defer { for number in inherited { close(number) } }
        #expect(!inherited.isEmpty)
        try provider.shutdown(by: .seconds(30))

        let files = SystemFileSystem()
        let logs = try files.openFolder(at: folder.path)
        let file = try files.openForReading("app.log", in: logs)
        #expect(try files.tryLock(file))
        files.close(file)
        files.close(logs)
    }
}
