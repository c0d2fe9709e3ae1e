#if canImport(Glibc)
    internal import Glibc
    internal import LogbookCore

    /// A small ext4 file system of a test's own, in a file: it can lose its power, and be taken for broken by the kernel.
    ///
    /// Only root can mount one, where the machine lets it: ``isPossible``.
    package final class LoopDisk: Sendable {
        /// Whether this machine lets us have one.
        package static let isPossible: Bool = geteuid() == 0 && (try? LoopDisk(megabytes: 8)) != nil

        /// Where it is mounted: an absolute path.
        package let path: String
        private let around = TemporaryFolder()
        private var image: String { around("image") }

        package init(megabytes: Int = 256) throws {
            around.makeFolder("disk")
            path = around("disk")
            // What is not there yet takes no room. Its own errors leave it read-only, as systems are set up that value what they have.
            try Self.run("truncate -s \(megabytes)M '\(image)' && PATH=$PATH:/sbin:/usr/sbin mkfs.ext4 -q -F -e remount-ro '\(image)'")
            try mount()
        }

        deinit { output(of: "umount -l '\(path)' 2>/dev/null") }

        private static func run(_ command: String) throws {
            let answer = output(of: "{ \(command); } 2>&1 && echo done")
            if !answer.hasSuffix("done\n") { throw ScriptedFailure("\(command): \(answer)") }
        }

        private func mount() throws { try Self.run("mount -o loop '\(image)' '\(path)'") }

        /// What nobody has made safe is gone at this moment, and from now on every call fails with `EIO`, for those who have files open as
        /// well: as when the power fails, and nothing reaches the disk any more.
        ///
        /// Whoever writes is to be stopped first (`SIGSTOP`): a call of `fdatasync` that is under way may succeed in vain, and a program that
        /// goes on would take it at its word.
        package func losePower() throws {
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(folder) }
            var withoutTheJournal: UInt32 = 2   // EXT4_GOING_FLAGS_NOLOGFLUSH
            let shutDown: UInt = 0x8004_587D   // EXT4_IOC_SHUTDOWN
            if folder < 0 || ioctl(folder, shutDown, &withoutTheJournal) != 0 { throw ScriptedFailure("ext4 cannot be shut down: \(errno)") }
        }

        /// What the next start of the machine finds. Nobody may have a file open on it.
        package func mountAgain() throws {
            try Self.run("umount '\(path)'")
            try mount()
        }

        /// The kernel finds an error of its own file system, and lets nobody write from now on: `EROFS`, also for files that are open.
        package func becomeReadOnly() throws {
            let device = output(of: "findmnt -n -o SOURCE '\(path)'").split(separator: "/").last?.split(separator: "\n").first ?? ""
            output(of: "echo 1 2>/dev/null >/sys/fs/ext4/\(device)/trigger_fs_error")
            let probe = open(path + "/probe", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            if probe >= 0 {
                close(probe)
                throw ScriptedFailure("\(device) can still be written")
            }
        }
    }
#endif
