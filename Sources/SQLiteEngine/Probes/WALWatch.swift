import CSQLite
import Foundation
import Telemetry

/// Watches the write-ahead log of a database, from its wal-index and the file's size.
///
/// It opens no file: closing one would drop the locks that this process has on it.
final class WALWatch: Sendable {
    private let path: String
    private let events: EventHub
    private let label: String
    private let history = Lock(WALHistory())
    /// Those who may be in the way: a pool's readers.
    private let readers: AccessGate?

    init(path: String, label: String, readers: AccessGate?, events: EventHub) {
        self.path = path
        self.label = label
        self.readers = readers
        self.events = events
    }

    /// Begins to watch; the caller holds the connection, which is in WAL mode and may write.
    func begin(on database: Database) throws {
        let pages = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint") ?? 0
        let log = database.probe.walState
        history.withLock { history in
            if pages > 0 { history.threshold = UInt32(clamping: pages) }
            if let log { history.note(log, at: monotonicNanoseconds()) }
        }
        database.probe.observeLog(self)
    }

    /// An access of the connection that writes has ended; its holder calls.
    func accessDidEnd(_ site: AccessSite, _ log: WALState, at now: UInt64) {
        let change = history.withLock { history in
            let hasWritten =
                log.frames != history.log.frames || log.generation != history.log.generation
            let change = history.note(log, at: now)
            if hasWritten { history.didWrite(site, hasReaders: hasReaders, at: now) }
            return change
        }
        tell(change, log)
    }

    private func tell(_ change: WALHistory.Change, _ log: WALState) {
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

    /// The log as it was seen last.
    var log: WALState { history.withLock { $0.log } }

    private var hasReaders: Bool {
        readers?.slots.contains { $0.probe.transactionState == .read } ?? false
    }

    /// What a status shows of the log.
    ///
    /// - Parameters:
    ///   - slot: The slot of the connection that writes.
    ///   - holders: Those who read.
    ///   - writer: Who writes.
    ///   - now: The monotonic clock.
    /// - Returns: nil when there is none.
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
            let change = history.note(log, at: now)
            history.limitHighWater(to: UInt32(clamping: fileFrames))
            return (history, change)
        }
        tell(change, log)
        let diagnosis = WALDiagnosis(
            log: log,
            fileFrames: UInt32(clamping: fileFrames),
            history: known,
            holders: holders,
            writer: writer
        )
        var isAsked = false
        status.pin = diagnosis.pin(at: now) { question in
            isAsked = true
            return stranger(for: question, diagnosis, at: now)
        }
        if !isAsked { forgetStranger() }
        return status
    }

    private func stranger(
        for question: WALDiagnosis.Question,
        _ diagnosis: WALDiagnosis,
        at now: UInt64
    ) -> (name: String, since: UInt64)? {
        let name: String?
        if let locks = WALLocks(path: path + "-shm") {
            name = locks.stranger(for: question, diagnosis)
        } else {
            name = diagnosis.hasUnexplainedLimit(question) ? "another process" : nil
        }
        let since = history.withLock { $0.noteStranger(name, at: now) }
        return name.map { ($0, since) }
    }

    private func forgetStranger() {
        history.withLock { history in _ = history.noteStranger(nil, at: 0) }
    }
}

extension WALDiagnosis {
    /// Whether a checkpoint ended at the mark of a reader that is none of ours: for systems that
    /// do not list locks.
    ///
    /// A checkpoint moves or frees the marks that nobody uses, and copies frames up to the first
    /// that it cannot: that one equals the number of frames copied.
    func hasUnexplainedLimit(_ question: Question) -> Bool {
        guard question == .checkpoint else { return false }
        return (1..<WALState.markCount).contains { mark in
            log.marks[mark] == log.checkpointed && log.checkpointed > 0 && !explains(mark: mark)
        }
    }
}
