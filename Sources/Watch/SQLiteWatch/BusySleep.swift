#if os(Linux) && arch(x86_64)
import Glibc

/// A type that determines whether a thread of another process is probably waiting in SQLite's busy
/// handler.
///
/// A waiting thread sleeps in the kernel (`hrtimer_nanosleep`), inside the system call
/// `clock_nanosleep` or `nanosleep`, and has return addresses in libsqlite3 near the top of its
/// stack. A thread that sleeps for a different reason lacks these addresses. Reading the stack
/// requires permission to debug the process, but does not stop the thread.
struct BusySleep {
    private struct Code {
        var startTicks: UInt64
        var ranges: [Range<UInt64>]
    }

    /// The addresses of SQLite's code in each process.
    private var codeByProcess: [Int32: Code] = [:]

    /// The number of stack bytes to search.
    private static let stackLength = 1_024
    /// The numbers of `nanosleep` and `clock_nanosleep` on x86_64.
    private static let sleepCalls: Set<Substring> = ["35", "230"]
    /// The numbers of `fsync` and `fdatasync` on x86_64.
    private static let syncCalls: Set<Substring> = ["74", "75"]
    /// The kernel functions in which threads wait for other threads, descriptors, or processes.
    private static let ignoredChannels: Set<String> = [
        "futex_wait_queue", "futex_do_wait", "ep_poll", "do_epoll_wait", "do_poll",
        "poll_schedule_timeout.constprop.0", "do_sys_poll", "pipe_read", "anon_pipe_read",
        "unix_stream_read_generic", "do_wait",
    ]
    /// The maximum number of threads to check per process, which limits the duration of a check.
    private static let threadLimit = 64

    /// What the threads of a process wait for.
    struct State {
        var isWaiting = false
        var isSyncing = false
    }

    /// Returns what the threads of a process wait for, or `nil` if this user lacks permission.
    mutating func state(of process: Int32, startTicks: UInt64) -> State? {
        guard let threads = ProcFile.names(in: "/proc/\(process)/task") else { return nil }
        var state = State()
        for thread in threads.prefix(Self.threadLimit) {
            guard let channel = ProcFile.text("/proc/\(process)/task/\(thread)/wchan", limit: 64)
            else { return nil }
            // Most other threads wait for a socket, a lock, or a condition.
            if Self.ignoredChannels.contains(channel) { continue }
            guard
                let line = ProcFile.text("/proc/\(process)/task/\(thread)/syscall", limit: 256)
            else { return nil }
            // The file contains 0 for running threads, and for all threads of other users.
            guard channel != "0" else { continue }
            let words = line.split(whereSeparator: \.isWhitespace)
            if let call = words.first, Self.syncCalls.contains(call) { state.isSyncing = true }
            // The fields are the call's number, six arguments, the stack pointer, and the program
            // counter.
            guard words.count == 9, Self.sleepCalls.contains(words[0]),
                let stack = UInt64(words[7].dropFirst(2), radix: 16)
            else { continue }
            guard let ranges = ranges(of: process, startTicks: startTicks) else { return nil }
            guard !ranges.isEmpty else { continue }
            guard let words = Self.words(of: process, at: stack) else { return nil }
            if words.contains(where: { word in ranges.contains { $0.contains(word) } }) {
                state.isWaiting = true
                return state
            }
        }
        return state
    }

    /// Discards the code addresses of all processes except the given ones.
    mutating func discardAll(except processes: some Collection<Int32>) {
        if codeByProcess.count > processes.count {
            codeByProcess = codeByProcess.filter { processes.contains($0.key) }
        }
    }

    private mutating func ranges(of process: Int32, startTicks: UInt64) -> [Range<UInt64>]? {
        if let known = codeByProcess[process], known.startTicks == startTicks, !known.ranges.isEmpty
        {
            return known.ranges
        }
        guard let maps = ProcFile.text("/proc/\(process)/maps", limit: 1 << 22) else { return nil }
        let ranges = MemoryMaps.sqliteCode(in: maps)
        codeByProcess[process] = Code(startTicks: startTicks, ranges: ranges)
        return ranges
    }

    private static func words(of process: Int32, at address: UInt64) -> [UInt64]? {
        let descriptor = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let offset = off_t(exactly: address) else { return nil }
        defer { close(descriptor) }
        var words = [UInt64](repeating: 0, count: stackLength / 8)
        let length = words.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, $0.count, offset)
        }
        guard length > 0 else { return nil }
        return Array(words.prefix(length / 8))
    }
}
#endif

/// A type that parses `/proc/PID/maps`.
enum MemoryMaps {
    /// Returns the executable ranges of files with "sqlite" or "sqlcipher" in their names.
    static func sqliteCode(in maps: String) -> [Range<UInt64>] {
        maps.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard words.count == 6, words[1].contains("x") else { return nil }
            let file = words[5].split(separator: "/").last?.lowercased() ?? ""
            guard file.contains("sqlite") || file.contains("sqlcipher") else { return nil }
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { return nil }
            return ends[0]..<ends[1]
        }
    }
}
