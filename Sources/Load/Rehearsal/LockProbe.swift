import Foundation
import Synchronization
import Telemetry
import WorkloadEngine

#if os(Linux)
import Glibc
#endif

/// A thread that checks which locks this process holds on a database, and how large its files are.
///
/// `F_OFD_GETLK` reports the locks that other connections would find, without acquiring any. The
/// descriptors of the probe differ in their owner from SQLite's locks, so that it also reports the
/// locks of its own process. Closing a descriptor of a file releases the locks of the process on the
/// file (<https://sqlite.org/howtocorrupt.html>, section 2.2), so the probe never closes any; they
/// end with the process.
final class LockProbe: Sendable {
    /// The results of the current step, and of the whole task.
    private struct State {
        var step = LockTimes()
        var task = LockTimes()
        var space = SpacePeaks()
        /// The start of the current hold, or `nil`.
        var writeStart: UInt64?
        var readStart: UInt64?
        var lastCheck: UInt64?
        var checks: UInt64 = 0
        var firstCheck: UInt64 = 0
        var isEnded = false
        /// The descriptors of the database and of its wal-index, or -1.
        var database: Int32 = -1
        var index: Int32 = -1
        /// The identity of the wal-index that ``index`` refers to.
        var indexInode: UInt64 = 0
        var sizesCheckedAt: UInt64 = 0
    }

    private let path: String
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// The time between two checks, in microseconds.
    private static let pause: UInt32 = 500
    /// The time between two checks of the sizes, in nanoseconds.
    private static let sizeInterval: UInt64 = 4_000_000

    /// Starts a probe.
    ///
    /// - Parameter path: The path of the database.
    init(path: String) {
        self.path = path
        state.withLock { state in
            state.database = open(path, O_RDONLY | O_CLOEXEC)
            state.space.databaseBefore = FreeSpace.size(of: path)
            state.space.database = state.space.databaseBefore
        }
        let thread = Thread { [self] in
            TimerSlack.minimize()
            while state.withLock({ check(&$0) }) { usleep(Self.pause) }
            ended.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Ends the current hold, because the connection is between two transactions.
    func separate() {
        state.withLock { state in
            _ = check(&state)
            Self.end(&state, at: monotonicNanoseconds())
        }
    }

    /// Returns the longest times of the current step, and starts the next one.
    func takeStep() -> LockTimes {
        state.withLock { state in
            let now = monotonicNanoseconds()
            Self.measure(&state, at: now)
            defer { state.step = LockTimes() }
            return state.step
        }
    }

    /// Ends the thread and returns the results of the task.
    func finish() -> (locks: LockTimes, space: SpacePeaks) {
        state.withLock { state in
            state.sizesCheckedAt = 0
            _ = check(&state)
            Self.end(&state, at: monotonicNanoseconds())
            state.isEnded = true
        }
        ended.wait()
        return state.withLock { state in
            if state.checks > 0, let last = state.lastCheck {
                state.task.resolution = (last - state.firstCheck) / state.checks
            }
            return (state.task, state.space)
        }
    }

    // MARK: Checks

    /// Checks the locks, and returns whether the probe continues.
    private func check(_ state: inout State) -> Bool {
        if state.isEnded { return false }
        let now = monotonicNanoseconds()
        if state.firstCheck == 0 { state.firstCheck = now } else { state.checks += 1 }
        let (blocksWrites, blocksReads) = locks(&state)
        state.lastCheck = now
        if blocksWrites {
            state.writeStart = state.writeStart ?? now
        } else if let start = state.writeStart {
            Self.count(
                from: start,
                until: now,
                \.longestWriteHold,
                total: \.totalWriteHold,
                state: &state
            )
            state.writeStart = nil
        }
        if blocksReads {
            state.readStart = state.readStart ?? now
        } else if let start = state.readStart {
            Self.count(
                from: start,
                until: now,
                \.longestReadBlock,
                total: \.totalReadBlock,
                state: &state
            )
            state.readStart = nil
        }
        if now &- state.sizesCheckedAt >= Self.sizeInterval {
            state.sizesCheckedAt = now
            checkSizes(&state)
        }
        return true
    }

    private static func count(
        from start: UInt64,
        until end: UInt64,
        _ longest: WritableKeyPath<LockTimes, UInt64>,
        total: WritableKeyPath<LockTimes, UInt64>,
        state: inout State
    ) {
        let time = end - min(start, end)
        state.step[keyPath: longest] = max(state.step[keyPath: longest], time)
        state.task[keyPath: longest] = max(state.task[keyPath: longest], time)
        state.step[keyPath: total] += time
        state.task[keyPath: total] += time
    }

    /// Counts the current holds for the longest times, without ending them.
    private static func measure(_ state: inout State, at now: UInt64) {
        if let start = state.writeStart {
            state.step.longestWriteHold = max(state.step.longestWriteHold, now - min(start, now))
        }
        if let start = state.readStart {
            state.step.longestReadBlock = max(state.step.longestReadBlock, now - min(start, now))
        }
    }

    private static func end(_ state: inout State, at now: UInt64) {
        if let start = state.writeStart {
            count(
                from: start,
                until: now,
                \.longestWriteHold,
                total: \.totalWriteHold,
                state: &state
            )
        }
        if let start = state.readStart {
            count(
                from: start,
                until: now,
                \.longestReadBlock,
                total: \.totalReadBlock,
                state: &state
            )
        }
        state.writeStart = nil
        state.readStart = nil
    }

    /// Returns whether this process's locks exclude writes and reads of others.
    ///
    /// In WAL mode, byte 120 of the wal-index is the write lock and 122 the lock for recovery
    /// (<https://sqlite.org/walformat.html>, section 2.3). In the database file, the pending byte
    /// and an exclusive lock on the shared bytes exclude new readers, and the reserved byte excludes
    /// writers (<https://sqlite.org/lockingv3.html>).
    private func locks(_ state: inout State) -> (writes: Bool, reads: Bool) {
        let pending: Int64 = 0x4000_0000
        let excludesReads =
            isLocked(state.database, bytes: pending..<pending + 1)
            || isLocked(state.database, bytes: pending + 2..<pending + 512)
        if excludesReads { return (true, true) }
        if isLocked(state.database, bytes: pending + 1..<pending + 2) { return (true, false) }
        openIndex(&state)
        guard state.index >= 0 else { return (false, false) }
        if isLocked(state.index, bytes: 122..<123) { return (true, true) }
        return (isLocked(state.index, bytes: 120..<121), false)
    }

    /// Opens the wal-index, which a change of the journal mode removes and creates.
    private func openIndex(_ state: inout State) {
        var information = stat()
        guard stat(path + "-shm", &information) == 0 else {
            state.index = -1
            return
        }
        guard state.index < 0 || state.indexInode != UInt64(information.st_ino) else { return }
        state.index = open(path + "-shm", O_RDONLY | O_CLOEXEC)
        state.indexInode = UInt64(information.st_ino)
    }

    /// Returns whether this process has an exclusive lock on one of the bytes.
    private func isLocked(_ descriptor: Int32, bytes: Range<Int64>) -> Bool {
        #if os(Linux)
        guard descriptor >= 0 else { return false }
        var query = flock()
        // A query for a shared lock conflicts only with exclusive locks.
        query.l_type = Int16(F_RDLCK)
        query.l_whence = Int16(SEEK_SET)
        query.l_start = off_t(bytes.lowerBound)
        query.l_len = off_t(bytes.count)
        // 36 is F_OFD_GETLK.
        guard fcntl(descriptor, 36, &query) == 0, query.l_type != Int16(F_UNLCK) else {
            return false
        }
        return query.l_pid == getpid()
        #else
        return false
        #endif
    }

    // MARK: Sizes

    private func checkSizes(_ state: inout State) {
        let database = FreeSpace.size(of: path)
        let wal = FreeSpace.size(of: path + "-wal")
        let journal = FreeSpace.size(of: path + "-journal")
        state.space.database = max(state.space.database, database)
        state.space.wal = max(state.space.wal, wal)
        state.space.journal = max(state.space.journal, journal)
        state.space.total = max(state.space.total, database + wal + journal)
        let temporary = Self.temporaryFiles()
        state.space.temporary = max(state.space.temporary, temporary.bytes)
        if let folder = temporary.folder { state.space.temporaryFolder = folder }
    }

    /// The number of descriptors to check: SQLite uses a few for each database.
    private static let descriptorLimit: Int32 = 64

    /// Returns the size and the folder of the files without a name that this process has open.
    ///
    /// On Unix, SQLite removes a temporary file from its folder as soon as it has created it.
    private static func temporaryFiles() -> (bytes: UInt64, folder: String?) {
        var bytes: UInt64 = 0
        var folder: String?
        for descriptor in 3..<descriptorLimit {
            var information = stat()
            guard fstat(descriptor, &information) == 0,
                information.st_mode & S_IFMT == S_IFREG, information.st_nlink == 0
            else { continue }
            let size = UInt64(max(0, information.st_blocks)) * 512
            bytes += size
            guard size > 0, folder == nil else { continue }
            let link = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(descriptor)"
            )
            folder = link.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        }
        return (bytes, folder)
    }
}
