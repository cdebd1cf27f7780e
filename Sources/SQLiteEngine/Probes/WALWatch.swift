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
    func accessDidEnd(_ site: AccessSite, _ log: WALState, at now: UInt64) {
        let change = history.withLock { history in
            let hasWritten =
                log.frames != history.log.frames || log.generation != history.log.generation
            let change = history.record(log, at: now)
            if Self.hasCheckpoint(change, log) { history.countCheckpoint(mode: Self.unknownMode) }
            if hasWritten { history.didWrite(site, hasReaders: hasReaders, at: now) }
            return change
        }
        report(change, log)
    }

    /// Records a checkpoint that the program requested.
    ///
    /// Only the connection's holder calls this method, immediately after the checkpoint.
    func didCheckpoint(mode: String, _ log: WALState, at now: UInt64) {
        let change = history.withLock { history in
            history.countCheckpoint(mode: mode)
            return history.record(log, at: now)
        }
        report(change, log)
    }

    /// The mode of a checkpoint that the program did not request with `checkpoint(_:on:)`.
    private static let unknownMode = "unknown"

    /// Returns whether a checkpoint copied frames.
    ///
    /// A large transaction may restart the log and then reach the limit for a checkpoint.
    private static func hasCheckpoint(_ change: WALHistory.Change, _ log: WALState) -> Bool {
        change == .checkpoint || change == .restart && log.checkpointed > 0
    }

    private func report(_ change: WALHistory.Change, _ log: WALState) {
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
            if Self.hasCheckpoint(change, log) { history.countCheckpoint(mode: Self.unknownMode) }
            history.limitHighWater(to: UInt32(clamping: fileFrames))
            return (history, change)
        }
        report(change, log)
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
