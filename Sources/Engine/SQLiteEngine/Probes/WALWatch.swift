import CSQLite
import Foundation
import Telemetry

/// A monitor that reads a database's wal-index and the size of its write-ahead log.
///
/// This type opens no file, because closing a file would release this process's locks on that file.
final class WALWatch: Sendable {
    private let path: String
    private let events: EventHub
    private let label: String
    private let history = Lock(WALHistory())
    private let readers: AccessGate?

    init(path: String, label: String, readers: AccessGate?, events: EventHub) {
        self.path = path
        self.label = label
        self.readers = readers
        self.events = events
    }

    /// Starts to monitor the log.
    ///
    /// - Precondition: The caller holds the connection, which is in WAL mode and may write.
    func begin(on database: Database) throws {
        let pages = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint") ?? 0
        let log = database.probe.walState
        history.withLock { history in
            if pages > 0 { history.threshold = UInt32(clamping: pages) }
            if let log { history.record(log, at: monotonicNanoseconds()) }
        }
        database.probe.observeLog(self)
    }

    /// Records the end of an access on the writer connection.
    ///
    /// Only the connection's holder calls this method.
    func accessDidEnd(_ site: AccessSite, log: WALState, at now: UInt64) {
        let change = history.withLock { history in
            let hasWritten =
                log.frames != history.log.frames || log.generation != history.log.generation
            let change = history.record(log, at: now)
            if Self.hasCheckpoint(change, log: log) {
                history.countCheckpoint(mode: Self.unknownMode)
            }
            if hasWritten { history.didWrite(site, hasReaders: hasReaders, at: now) }
            return change
        }
        report(change, log: log)
    }

    /// Records a checkpoint that the program requested.
    ///
    /// Only the connection's holder calls this method, immediately after the checkpoint.
    func didCheckpoint(mode: String, _ log: WALState, at now: UInt64) {
        let change = history.withLock { history in
            history.countCheckpoint(mode: mode)
            return history.record(log, at: now)
        }
        report(change, log: log)
    }

    /// The mode of a checkpoint that the program did not request with `checkpoint(_:on:)`.
    private static let unknownMode = "unknown"

    /// Returns whether a checkpoint copied frames.
    ///
    /// A large transaction may restart the log and then reach the limit for a checkpoint.
    private static func hasCheckpoint(_ change: WALHistory.Change, log: WALState) -> Bool {
        change == .checkpoint || change == .restart && log.checkpointed > 0
    }

    private func report(_ change: WALHistory.Change, log: WALState) {
        guard change != .none else { return }
        events.emit(
            label,
            .checkpoint(
                frames: UInt64(log.frames),
                checkpointed: UInt64(log.checkpointed),
                isRestart: change == .restart
            )
        )
    }

    var log: WALState { history.withLock { $0.log } }

    private var hasReaders: Bool {
        readers?.slots.contains { $0.probe.transactionState == .read } ?? false
    }

    /// Returns the status of the log.
    ///
    /// - Parameters:
    ///   - slot: The slot of the writer connection.
    ///   - holders: The connections that read.
    ///   - writer: The write transaction, if any.
    ///   - now: The time on the monotonic clock.
    /// - Returns: The status, or `nil` if there is no log.
    func status(
        slot: AccessSlot,
        holders: [WALDiagnosis.Holder],
        writer: WALDiagnosis.Writer?,
        at now: UInt64
    ) -> WALStatus? {
        var information = stat()
        guard stat(path + "-wal", &information) == 0 else { return nil }
        let bytes = UInt64(max(0, information.st_size))
        var status = WALStatus(bytes: bytes)
        guard let log = slot.walIndex.flatMap({ WALState($0.memory) }) else { return status }
        status.frames = UInt64(log.frames)
        status.checkpointedFrames = UInt64(log.checkpointed)
        status.pageSize = log.pageSize == 0 ? nil : log.pageSize
        status.readMarks = log.marks.map { $0 == WALState.unused ? nil : UInt64($0) }
        let fileFrames = log.pageSize == 0 ? 0 : (max(bytes, 32) - 32) / UInt64(log.pageSize + 24)
        let (known, change) = history.withLock { history in
            let change = history.record(log, at: now)
            if Self.hasCheckpoint(change, log: log) {
                history.countCheckpoint(mode: Self.unknownMode)
            }
            history.limitHighWater(to: UInt32(clamping: fileFrames))
            return (history, change)
        }
        report(change, log: log)
        status.checkpoints = known.checkpoints
        let diagnosis = WALDiagnosis(
            log: log,
            fileFrames: UInt32(clamping: fileFrames),
            history: known,
            holders: holders,
            writer: writer
        )
        var hasSearched = false
        status.pin = diagnosis.pin(at: now) { operation in
            hasSearched = true
            return outsideConnection(for: operation, diagnosis, at: now)
        }
        if !hasSearched { clearOutsideConnection() }
        return status
    }

    private func outsideConnection(
        for operation: WALDiagnosis.PreventableOperation,
        _ diagnosis: WALDiagnosis,
        at now: UInt64
    ) -> (name: String, since: UInt64)? {
        let name: String?
        if let locks = WALLocks(path: path + "-shm") {
            name = locks.outsideConnection(for: operation, diagnosis)
        } else {
            name = diagnosis.hasUnexplainedLimit(operation) ? "another process" : nil
        }
        let since = history.withLock { $0.recordOutsideConnection(name, at: now) }
        return name.map { ($0, since) }
    }

    private func clearOutsideConnection() {
        history.withLock { history in _ = history.recordOutsideConnection(nil, at: 0) }
    }
}

extension WALDiagnosis {
    /// Returns whether a checkpoint stopped at the mark of a reader that does not belong to this
    /// pool or queue.
    ///
    /// This check is for systems that do not report locks. A checkpoint moves or frees unused marks,
    /// and copies frames up to the first mark that it cannot move. That mark equals the number of
    /// copied frames.
    func hasUnexplainedLimit(_ operation: PreventableOperation) -> Bool {
        guard operation == .checkpoint else { return false }
        return (1..<WALState.markCount).contains { mark in
            log.marks[mark] == log.checkpointed && log.checkpointed > 0 && !explains(mark: mark)
        }
    }
}

/// The history of a write-ahead log, from which a status determines why the log does not shrink.
///
/// Times are in nanoseconds on the monotonic clock.
struct WALHistory {
    /// SQLite's default checkpoint threshold, in frames.
    static let standardThreshold: UInt32 = 1_000

    enum Change: Equatable {
        case none
        case checkpoint
        case restart
    }

    /// The number of frames at which a commit checkpoints the log.
    var threshold = Self.standardThreshold
    private(set) var log = WALState()
    /// The largest number of frames observed in the log.
    ///
    /// Later frames in the file belong to no commit.
    private(set) var highWater: UInt32 = 0
    /// Whether checkpoints have copied the whole log to the database file at some point.
    ///
    /// If so, the next write should have restarted the log.
    private(set) var wasComplete = false
    /// The time at which readers started to prevent a restart, or `nil` if no reader does.
    private(set) var overlapSince: UInt64?
    /// The time at which checkpoints started to leave frames uncopied, or `nil` if they copy all
    /// frames.
    ///
    /// If a second checkpoint also leaves frames uncopied, readers have overlapped since this time.
    private var leftoverSince: UInt64?
    /// The time at which commits started to leave the log above the threshold although no reader
    /// prevented checkpoints, or `nil` if they do not.
    private(set) var neglectedSince: UInt64?
    private(set) var lastWriter: AccessSite?
    /// The number of checkpoints by mode; see ``WALStatus/checkpoints``.
    private(set) var checkpoints: [String: UInt64] = [:]
    /// The outside connection that currently pins the log, and the time of its first observation.
    private(set) var outsideConnection: (name: String, since: UInt64)?

    @discardableResult
    mutating func record(_ log: WALState, at now: UInt64) -> Change {
        defer { self.log = log }
        highWater = max(highWater, log.frames)
        guard log.generation == self.log.generation, log.frames >= self.log.frames else {
            wasComplete = log.frames > 0 && log.checkpointed == log.frames
            overlapSince = nil
            leftoverSince = nil
            neglectedSince = nil
            return self.log == WALState() ? .none : .restart
        }
        if wasComplete, log.frames > self.log.frames, overlapSince == nil { overlapSince = now }
        if log.checkpointed == log.frames, log.frames > 0 { wasComplete = true }
        if log.frames - log.checkpointed < threshold { neglectedSince = nil }
        guard log.checkpointed > self.log.checkpointed else { return .none }
        recordLeftover(log, at: now)
        return .checkpoint
    }

    /// Counts a checkpoint.
    mutating func countCheckpoint(mode: String) { checkpoints[mode, default: 0] += 1 }

    /// Records the frames that a checkpoint did not copy.
    ///
    /// Frequent commits add frames before a checkpoint copies the last frames, so checkpoints never
    /// copy the complete log. A checkpoint that leaves frames uncopied has encountered a reader. If
    /// a second checkpoint copies more frames but also leaves some, it has encountered another
    /// reader, or the same reader with a newer state.
    private mutating func recordLeftover(_ log: WALState, at now: UInt64) {
        guard log.checkpointed >= threshold, log.checkpointed < log.frames else {
            leftoverSince = nil
            return
        }
        if let since = leftoverSince {
            overlapSince = overlapSince ?? since
        } else {
            leftoverSince = now
        }
    }

    /// Records the end of a write after ``record(_:at:)`` has recorded the log's state.
    ///
    /// - Parameters:
    ///   - site: The access that wrote.
    ///   - hasReaders: Whether a connection of this database is reading and may pin the log.
    ///   - now: The time on the monotonic clock.
    mutating func didWrite(
        _ site: AccessSite,
        hasReaders: @autoclosure () -> Bool,
        at now: UInt64
    ) {
        lastWriter = site
        guard log.frames - log.checkpointed >= threshold else { return }
        if hasReaders() {
            neglectedSince = nil
        } else if neglectedSince == nil {
            neglectedSince = now
        }
    }

    /// Limits the high-water mark after the file was truncated.
    mutating func limitHighWater(to frames: UInt32) {
        highWater = max(log.frames, min(highWater, frames))
    }

    /// Records the outside connection that pins the log.
    ///
    /// - Returns: The time of the connection's first observation.
    mutating func recordOutsideConnection(_ name: String?, at now: UInt64) -> UInt64 {
        guard let name else {
            outsideConnection = nil
            return now
        }
        if let outsideConnection, outsideConnection.name == name { return outsideConnection.since }
        outsideConnection = (name, now)
        return now
    }
}

/// The state of a write-ahead log according to the wal-index.
///
/// The wal-index starts with two copies of a header, with the page size at byte 14, `mxFrame` at
/// byte 16, and the first salt at byte 32. `nBackfill` follows at byte 96, and five read marks
/// follow at byte 100 (https://sqlite.org/walformat.html, section 2.1).
struct WALState: Equatable {
    static let markCount = 5
    /// The value of a mark that is not in use.
    static let unused = UInt32.max

    /// The number of valid frames in the log.
    var frames: UInt32 = 0
    /// The number of these frames that are already in the database file.
    var checkpointed: UInt32 = 0
    /// A number that changes when the log is restarted.
    var generation: UInt32 = 0
    /// The page size in bytes, or 0 while the log is empty.
    var pageSize = 0
    /// The read marks, indexed by mark number.
    ///
    /// A reader on mark `n > 0` reads the log up to frame `marks[n]`; a reader on mark 0 reads only
    /// the database file. A mark keeps its value after its reader has ended.
    var marks: [UInt32] {
        get { (0..<Self.markCount).map { storedMarks[$0] } }
        set { for mark in 0..<Self.markCount { storedMarks[mark] = newValue[mark] } }
    }

    /// The marks, stored without an allocation because each write reads them.
    private var storedMarks = SIMD8<UInt32>()

    init() {}

    /// Reads a wal-index, or returns `nil` while its header is being written.
    init?(_ index: UnsafeRawPointer) {
        var header = poolgauge_wal_header()
        guard poolgauge_wal_header_read(index, &header) != 0 else { return nil }
        withUnsafeBytes(of: header) { header in
            let size = Int(header.load(fromByteOffset: 14, as: UInt16.self))
            // A page size of 65,536 bytes is stored as 1.
            pageSize = (size & 0xfe00) + ((size & 1) << 16)
            frames = header.load(fromByteOffset: 16, as: UInt32.self)
            generation = header.load(fromByteOffset: 32, as: UInt32.self)
        }
        checkpointed = min(frames, index.load(fromByteOffset: 96, as: UInt32.self))
        for mark in 0..<Self.markCount {
            storedMarks[mark] = index.load(fromByteOffset: 100 + 4 * mark, as: UInt32.self)
        }
    }
}

/// A position in a log: a generation and a number of frames, in one word for an atomic.
struct WALPosition: Equatable {
    let word: UInt64

    init(word: UInt64) { self.word = word }

    init(generation: UInt32, frames: UInt32) {
        word = UInt64(generation) << 32 | UInt64(frames)
    }

    /// Reads the current end of the log.
    ///
    /// If the log restarts between the two loads, the position is too old. Such a position never
    /// causes a reader to be missed.
    @inline(__always)
    init(_ index: UnsafeRawPointer) {
        self.init(
            generation: index.load(fromByteOffset: 32, as: UInt32.self),
            frames: index.load(fromByteOffset: 16, as: UInt32.self)
        )
    }

    /// Returns the last frame of this position that `log` still contains, or 0 if the log has since
    /// been restarted.
    func frames(in log: WALState) -> UInt32 {
        UInt32(truncatingIfNeeded: word >> 32) == log.generation
            ? UInt32(truncatingIfNeeded: word) : 0
    }
}
