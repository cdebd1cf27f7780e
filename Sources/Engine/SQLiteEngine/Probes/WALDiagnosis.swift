import Foundation
import Telemetry

/// An analysis of what prevents a write-ahead log from shrinking.
///
/// A checkpoint copies frames only up to the oldest read mark in use. It copies no frames while a
/// reader uses only the database file (mark 0). A writer restarts the log only when all frames have
/// been copied and no reader uses the log (https://sqlite.org/wal.html, "Avoiding Excessively Large
/// WAL Files"; `walCheckpoint` and `walRestartLog` in `wal.c`).
struct WALDiagnosis {
    /// A connection of this database that may pin the log.
    struct Holder {
        var origin: AccessOrigin
        /// The time since the holder acquired its state, in nanoseconds.
        var age: UInt64
        /// The end of the log at or before the acquisition of the state, or `nil` if unknown.
        var before: WALPosition?
        /// The end of the log at or after the acquisition of the state, or `nil` if unknown.
        var after: WALPosition?
    }

    /// A write transaction of this database.
    struct Writer {
        var origin: AccessOrigin
        /// The time since the writer acquired the connection, in nanoseconds.
        var age: UInt64
    }

    var log: WALState
    var fileFrames: UInt32
    var history: WALHistory
    var holders: [Holder]
    var writer: Writer?

    /// Returns the cause that prevents the log from shrinking.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock.
    ///   - outsideConnection: A function that searches for a connection outside this database, and
    ///     returns the connection's name and the time of the first observation. It runs only if no
    ///     connection of this database is the cause.
    /// - Returns: The cause, or `nil` if there is none.
    func pin(
        at now: UInt64,
        outsideConnection: (PreventableOperation) -> (name: String, since: UInt64)?
    ) -> WALPin? {
        let uncopied = log.frames - min(log.frames, log.checkpointed)
        let uncommitted = fileFrames - min(fileFrames, max(history.highWater, log.frames))
        func outsideCause(_ operation: PreventableOperation) -> OutsideCause {
            guard let (name, since) = outsideConnection(operation) else { return .none }
            let age = now > since ? now - since : 0
            // Readers of this database may start and end between the reads of their states and of
            // the locks. Only a lock that persists belongs to another connection.
            if name == WALLocks.ownProcess, age < EngineTimings.ownProcessPinAge {
                return .uncertain
            }
            return .found(
                WALPin(by: AccessOrigin(name: name), cause: .otherProcess, ageNanoseconds: age)
            )
        }
        if uncommitted >= history.threshold, uncommitted >= uncopied {
            if let writer {
                return WALPin(
                    by: writer.origin,
                    cause: .largeTransaction,
                    ageNanoseconds: writer.age
                )
            }
            switch outsideCause(.writer) {
            case .found(let pin): return pin
            case .uncertain: return nil
            case .none: break
            }
        }
        if uncopied > 0, let reader = oldReader() {
            return WALPin(by: reader.origin, cause: .oldReader, ageNanoseconds: reader.age)
        }
        if uncopied >= history.threshold {
            // A checkpoint may have run and stopped at a young reader. Unless the reader's position
            // proves it, the cause is unknown until the reader is old or has ended.
            if let reader = holders.first(where: hasStoppedCheckpoint) {
                return WALPin(by: reader.origin, cause: .oldReader, ageNanoseconds: reader.age)
            }
            if holders.contains(where: { $0.after == nil || isBehind($0.before) }) { return nil }
            switch outsideCause(.checkpoint) {
            case .found(let pin): return pin
            case .uncertain: return nil
            case .none: break
            }
            if let since = history.neglectedSince {
                let writer = history.lastWriter.flatMap(\.origin)
                return WALPin(
                    by: writer ?? AccessOrigin(name: "an unknown access"),
                    cause: .noCheckpoint,
                    ageNanoseconds: now > since ? now - since : 0
                )
            }
        }
        if log.frames >= history.threshold, let since = history.overlapSince {
            if let reader = holders.max(by: { $0.age < $1.age }) {
                return WALPin(
                    by: reader.origin,
                    cause: .overlappingReaders,
                    ageNanoseconds: now > since ? now - since : 0
                )
            }
            if case .found(let pin) = outsideCause(.restart) { return pin }
        }
        return nil
    }

    /// The result of a search for a connection outside this database.
    private enum OutsideCause {
        case none
        case uncertain
        case found(WALPin)
    }

    /// The operation that an outside connection may prevent.
    enum PreventableOperation {
        case writer
        case checkpoint
        case restart
    }

    /// Returns the connection that has held an outdated state for the longest time.
    ///
    /// - Returns: The connection, or `nil` if no connection has held an outdated state for at least
    ///   ``EngineTimings/pinAge``.
    private func oldReader() -> Holder? {
        let old = holders.filter { $0.age >= EngineTimings.pinAge }
        let certain = old.filter { isBehind($0.after) }
        let possible = old.filter { $0.after == nil || isBehind($0.before) }
        return (certain.isEmpty ? possible : certain).max { $0.age < $1.age }
    }

    /// Returns whether a checkpoint has copied the log up to the exact position of a reader that
    /// needs the frames after it.
    private func hasStoppedCheckpoint(at holder: Holder) -> Bool {
        guard let before = holder.before, let after = holder.after else { return false }
        let position = after.frames(in: log)
        return position == before.frames(in: log) && position > 0 && position < log.frames
            && position == log.checkpointed
    }

    private func isBehind(_ position: WALPosition?) -> Bool {
        guard let position else { return false }
        return position.frames(in: log) < log.frames
    }

    /// Returns whether a connection of this database explains why a mark is locked.
    func explains(mark: Int) -> Bool {
        holders.contains { holder in
            guard let before = holder.before, let after = holder.after else { return true }
            let range = before.frames(in: log)...max(before.frames(in: log), after.frames(in: log))
            // A reader that uses only the database file started when the whole log was copied, so
            // the reader's position is also known.
            return mark == 0 || range.contains(log.marks[mark])
        }
    }
}

/// The locks on a wal-index, as the system reports them.
///
/// SQLite locks bytes 120 to 127 of the `-shm` file: byte 120 to write, byte 121 to checkpoint, and
/// bytes 123 to 127 to read on marks 0 to 4 (https://sqlite.org/walformat.html, section 2.3). This
/// type reads `/proc/locks`, because opening and closing the file would release this process's
/// locks.
struct WALLocks: Equatable {
    struct Entry: Equatable {
        var process: Int32
        var isExclusive: Bool
        var bytes: ClosedRange<UInt64>
    }

    var entries: [Entry]

    init(entries: [Entry]) { self.entries = entries }

    /// The maximum size of a list that a single call to `read` always returns completely, in bytes.
    ///
    /// The size is one page minus one line.
    ///
    /// Linux's `seq_read_iter` fills one page per call. Between two calls, the list is unlocked,
    /// and the next call continues at the same index. If a lock before that index is released
    /// between the calls, the result omits a lock that is held throughout. In a test with a process
    /// that changed 10,000 locks per second, 0.4% of all results omitted a lock.
    static let maximumCompleteSize = 4096 - 256

    /// Reads the locks on a `-shm` file, or returns `nil` if the system does not report them.
    ///
    /// - Parameters:
    ///   - path: The path of the `-shm` file.
    ///   - list: A function that reads the system's list. The initializer calls it twice if the
    ///     first result may omit a lock.
    init?(
        path: String,
        list: () -> String? = { try? String(contentsOfFile: "/proc/locks", encoding: .utf8) }
    ) {
        var information = stat()
        guard stat(path, &information) == 0, let text = list() else { return nil }
        let inode = UInt64(information.st_ino)
        self.init(text: text, inode: inode)
        guard text.utf8.count > Self.maximumCompleteSize, let second = list() else {
            return
        }
        for entry in WALLocks(text: second, inode: inode).entries where !entries.contains(entry) {
            entries.append(entry)
        }
    }

    /// Parses lines such as `1: POSIX  ADVISORY  READ 4711 08:01:1234 123 123`.
    ///
    /// This initializer ignores the device, because `stat` reports a different device on overlay
    /// file systems.
    init(text: String, inode: UInt64) {
        entries = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // A waiting process has an arrow as the second word of its entry.
            guard words.count >= 8, words[1] == "POSIX", let process = Int32(words[4]),
                words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode,
                let first = UInt64(words[6])
            else { return nil }
            let last = words[7] == "EOF" ? UInt64.max : UInt64(words[7]) ?? first
            guard first <= last else { return nil }
            return Entry(process: process, isExclusive: words[3] == "WRITE", bytes: first...last)
        }
    }

    /// The name of a connection of this process that does not belong to the diagnosed database.
    static let ownProcess = "another connection of this process"

    private static let writeByte: UInt64 = 120
    private static let checkpointByte: UInt64 = 121
    private static let firstReadByte: UInt64 = 123

    /// Returns the outside connection that prevents an operation.
    ///
    /// - Parameters:
    ///   - operation: The operation that the connection may prevent.
    ///   - diagnosis: The states of the log and of the database's connections.
    ///   - ownProcess: The identifier of this process.
    /// - Returns: The connection's name, or `nil` if there is none.
    func outsideConnection(
        for operation: WALDiagnosis.PreventableOperation,
        _ diagnosis: WALDiagnosis,
        process ownProcess: Int32 = getpid()
    ) -> String? {
        for entry in entries.sorted(by: {
            ($0.process == ownProcess ? 1 : 0) < ($1.process == ownProcess ? 1 : 0)
        })
        where isBlocking(entry, operation: operation, diagnosis: diagnosis, ownProcess: ownProcess)
        {
            return entry.process == ownProcess
                ? Self.ownProcess : Self.name(of: entry.process)
        }
        return nil
    }

    private func isBlocking(
        _ entry: Entry,
        operation: WALDiagnosis.PreventableOperation,
        diagnosis: WALDiagnosis,
        ownProcess: Int32
    ) -> Bool {
        if operation == .writer {
            return entry.isExclusive && entry.bytes.contains(Self.writeByte)
        }
        if operation == .checkpoint, entry.process != ownProcess, entry.isExclusive,
            entry.bytes.contains(Self.checkpointByte)
        {
            return true
        }
        return (0..<WALState.markCount).contains { mark in
            guard entry.bytes.contains(Self.firstReadByte + UInt64(mark)) else { return false }
            let frames = mark == 0 ? 0 : diagnosis.log.marks[mark]
            // Readers of the last state do not prevent a checkpoint. Readers that use only the
            // database file do not prevent a restart.
            switch operation {
            case .writer: return false
            case .checkpoint: guard frames < diagnosis.log.frames else { return false }
            case .restart: guard mark > 0 else { return false }
            }
            return entry.process != ownProcess || !diagnosis.explains(mark: mark)
        }
    }

    private static func name(of process: Int32) -> String {
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        let trimmed = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return trimmed.isEmpty ? "process \(process)" : "\(trimmed) (\(process))"
    }
}
