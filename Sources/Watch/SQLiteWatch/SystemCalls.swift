#if os(Linux)
import Glibc
import Text

/// A type that reads small files in `/proc`.
package enum ProcFile {
    /// Reads a file up to a limit in bytes, or returns `nil` if the file cannot be read.
    package static func read(_ path: String, limit: Int = 1 << 20) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor, limit: limit)
    }

    /// Reads the rest of an open file up to a limit in bytes, or returns `nil` if it cannot be
    /// read.
    package static func read(_ descriptor: Int32, limit: Int) -> [UInt8]? {
        var content: [UInt8] = []
        while content.count < limit {
            let room = min(limit - content.count, 1 << 16)
            let before = content.count
            var failure = false
            content.append(
                contentsOf: [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                    let result = Glibc.read(descriptor, buffer.baseAddress, room)
                    failure = result < 0
                    count = max(0, result)
                }
            )
            if failure { return errno == EINTR ? read(descriptor, limit: limit) : nil }
            if content.count == before { break }
        }
        return content
    }

    /// Returns whether a process's arguments and the name of its program are those of a command, or
    /// `false` if the command is empty.
    ///
    /// The folder of the program may differ: a process can run another copy of the program.
    package static func isRunning(_ command: [String], in process: Int32) -> Bool {
        guard let program = command.first, let text = read("/proc/\(process)/cmdline") else {
            return false
        }
        let arguments = text.split(separator: 0)
        let slash = UInt8(ascii: "/")
        guard arguments.count == command.count,
            let name = arguments[0].split(separator: slash).last,
            let ownName = program.utf8.split(separator: slash).last
        else { return false }
        return name.elementsEqual(ownName)
            && zip(arguments, command).dropFirst().allSatisfy { $0.elementsEqual($1.utf8) }
    }

    /// Reads a file as text, replacing invalid UTF-8 sequences.
    package static func text(_ path: String, limit: Int = 1 << 16) -> String? {
        read(path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the names of the entries in a folder, or `nil` if the folder cannot be listed.
    package static func names(in folder: String) -> [String]? {
        guard let stream = PathText.withCString(folder, { opendir($0) }) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                PathText.text(
                    of: UnsafeRawBufferPointer(start: pointer, count: 256).prefix { $0 != 0 }
                )
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the target of a symbolic link, or `nil` if the link cannot be read.
    package static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = readlink(path, start, buffer.count)
            guard length > 0 else { return nil }
            return PathText.text(of: UnsafeRawBufferPointer(buffer)[..<length])
        }
    }
}

extension FileIdentity {
    /// Reads the identity of the file at a path, following symbolic links, or returns `nil` if no
    /// file exists.
    package init?(path: String) {
        guard let information = FilePath.status(path) else { return nil }
        self.init(information)
    }

    package init(_ information: stat) {
        self.init(
            device: Device(UInt64(information.st_dev)),
            inode: UInt64(information.st_ino)
        )
    }
}

extension FileIdentity.Device {
    /// Decodes a device number in glibc's encoding.
    init(_ device: UInt64) {
        self.init(
            major: UInt32(truncatingIfNeeded: (device >> 8 & 0xfff) | (device >> 32 & ~0xfff)),
            minor: UInt32(truncatingIfNeeded: (device & 0xff) | (device >> 12 & ~0xff))
        )
    }
}

/// The system's clocks, in nanoseconds unless stated otherwise.
package enum SystemClock {
    /// The processor time of this thread.
    static var thread: UInt64 { reading(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of this process.
    static var process: UInt64 { reading(CLOCK_PROCESS_CPUTIME_ID) }

    /// The time since the system started.
    static var monotonic: UInt64 { reading(CLOCK_MONOTONIC) }

    /// The time since 1970, in milliseconds.
    package static var calendarMilliseconds: Int64 { Int64(reading(CLOCK_REALTIME) / 1_000_000) }

    /// Sleeps until a time on the monotonic clock or until a signal arrives.
    static func sleep(until time: UInt64) {
        var moment = timespec(
            tv_sec: Int(time / 1_000_000_000),
            tv_nsec: Int(time % 1_000_000_000)
        )
        // Do not continue to sleep after a signal, because the signal may be a request to exit.
        clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &moment, nil)
    }

    private static func reading(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
#endif
