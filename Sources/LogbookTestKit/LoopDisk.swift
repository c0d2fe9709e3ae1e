#if canImport(Glibc)
    internal import Glibc
    package import LogbookCore

    /// A small ext4 file system of a test's own, in a file: it can lose its power, and be taken for broken by the kernel.
    ///
    /// Only root can mount one, where the machine lets it: ``isPossible``.
    package final class LoopDisk: Sendable {
        /// Whether this machine lets us have one.
        package static let isPossible: Bool = geteuid() == 0 && (try? LoopDisk(megabytes: 8)) != nil

        /// Where it is mounted: an absolute path.
        package let path: String
        private let around = TemporaryFolder()
        /// How many losses of power there were. Each image is of the disk between two of them.
        private let losses = Locked(0)

        package init(megabytes: Int = 256) throws {
            around.makeFolder("disk")
            path = around("disk")
            // What is not there yet takes no room. Its own errors leave it read-only, as systems are set up that value what they have.
            let image = image(0)
            try Self.run("truncate -s \(megabytes)M '\(image)' && mkfs.ext4 -q -F -e remount-ro '\(image)' && mount -o loop '\(image)' '\(path)'")
        }

        deinit { output(of: "umount -l '\(path)' 2>/dev/null") }

        private static func run(_ command: String) throws {
            let answer = output(of: "PATH=$PATH:/sbin:/usr/sbin; { \(command); } 2>&1 && echo done")
            if !answer.hasSuffix("done\n") { throw ScriptedFailure("\(command): \(answer)") }
        }

        private func image(_ number: Int) -> String { around("image-\(number)") }

        /// Everything in it, sorted.
        package var names: [String] { around.names(in: "disk") }

        /// At any moment of the next 60 ms the power of a program's machine fails: what nobody has made safe is gone, and so is the
        /// program. The disk is as the next start of the machine finds it. Nobody else may have a file open on it.
        package func losePower(under process: ChildProcess, _ random: LogRandomness) throws {
            usleep(UInt32(random.next() % 60_000))
            // First: a call of `fdatasync` that is under way may succeed in vain, and a program that goes on would take it at its word.
            process.signal(SIGSTOP)
            try shutDown()
            process.signal(SIGKILL)
            process.wait(by: .seconds(30))
            // A program with mounts of its own, as other tests have them, may hold on to the file system that was shut down: whoever mounts the
            // same image gets that one. Nothing is written to it any more.
            let (old, new) = losses.withLock { losses in
                losses += 1
                return (image(losses - 1), image(losses))
            }
            try Self.run(
                "umount -l '\(path)' && cp --sparse=always '\(old)' '\(new)' && rm '\(old)' && mount -o loop '\(new)' '\(path)'")
        }

        /// What is not safe is gone, and from now on every call fails, for those who have files open as well.
        private func shutDown() throws {
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(folder) }
            var withoutTheJournal: UInt32 = 2   // EXT4_GOING_FLAGS_NOLOGFLUSH
            let request: UInt = 0x8004_587D   // EXT4_IOC_SHUTDOWN
            if folder < 0 || ioctl(folder, request, &withoutTheJournal) != 0 {
                throw ScriptedFailure("ext4 cannot be shut down: errno \(errno)")
            }
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
