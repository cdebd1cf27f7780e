import Foundation
import SQLiteEngine

/// An object that writes one session to a recording, in one transaction per call to ``write(_:)``.
///
/// The file is in WAL mode while it is being written. Commits append to the log without a sync, so
/// recording does not slow down the disk of the measured database, and a killed process loses no
/// commits. At the end, the file returns to a rollback journal, so a complete recording is a single
/// file.
///
/// Only one thread may use a writer.
final class RecordingWriter {
    let path: String
    private(set) var samples = 0
    /// The time of the first sample, in milliseconds since 1970.
    private(set) var first: Int64?
    /// The time of the last sample, in milliseconds since 1970.
    private(set) var last: Int64?
    /// Whether the log remains, because another program had the recording open at the end.
    private var keepsLog = false

    private let file: RecordingFile
    private let queue: DatabaseQueue
    private let limits: RecordingLimits
    private let mask: @Sendable (String) -> String
    private let session: Int64
    private let bytesBefore: UInt64

    private var sources: [String: Source] = [:]
    private var nextSample: Int64
    private var part: Part?

    private struct Source {
        var id: Int64
        var facts = FactTracker()
        var bases = SourceBases()
    }

    private struct Part {
        var id: Int64
        var start: Int64
        var bytes = 0
    }

    /// Creates the file, or adds a session to an existing recording.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - limits: The limits of the recording.
    ///   - info: The description of the session.
    ///   - clock: The wall-clock time in milliseconds since 1970, and the monotonic time in
    ///     nanoseconds.
    ///   - mask: A closure that removes literals from the SQL of connections.
    ///   - mustBeNew: Whether to throw an error if the file exists.
    ///   - setup: Additional SQL for the connection, for tests.
    /// - Throws: ``RecordingError`` if the file cannot be written as a recording.
    init(
        path: String,
        limits: RecordingLimits,
        info: RecordingInfo,
        clock: (wall: Int64, monotonic: UInt64),
        mask: @escaping @Sendable (String) -> String,
        mustBeNew: Bool = false,
        setup: String? = nil
    ) throws {
        self.path = path
        self.limits = limits
        self.mask = mask
        file = try RecordingFile(path: path, mustBeNew: mustBeNew)
        do {
            queue = try Self.open(file, limits: limits, setup: setup)
            // Exclude the empty tables of a new file from the size per hour.
            bytesBefore = RecordingFile.size(ofFileAt: path)
            (session, nextSample) = try queue.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO session
                          (kind, tool, wall_ms, monotonic_ns, title, scenario, environment)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        info.kind.rawValue, info.tool, clock.wall,
                        Int64(clamping: clock.monotonic), info.title, info.scenario,
                        info.environment,
                    ]
                )
                let id = db.lastInsertedRowID
                let newest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM sample") ?? 0
                return (id, newest + 1)
            }
        } catch {
            file.removeIfNew()
            if let error = error as? RecordingError { throw error }
            throw RecordingError("cannot record to '\(path)'\(Self.explanation(error))")
        }
    }

    private static func open(
        _ file: RecordingFile,
        limits: RecordingLimits,
        setup: String?
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "recording"
        configuration.probes = .off
        configuration.keepsReadTransactions = false
        // Wait for reports, which read the recording for a few milliseconds.
        configuration.busyMode = .timeout(2)
        let isNew = file.isNew
        configuration.prepareDatabase { db in
            if isNew {
                try db.execute(
                    sql: """
                        PRAGMA page_size = \(RecordingSchema.pageSize);
                        PRAGMA auto_vacuum = INCREMENTAL;
                        BEGIN;
                        \(RecordingSchema.statements)
                        COMMIT;
                        """
                )
            }
            try RecordingSchema.check(db, path: file.path)
            let checkpoint = limits.checkpointPages
            // An existing recording may have an older format.
            try db.execute(
                sql: """
                    PRAGMA user_version = \(RecordingSchema.version);
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL;
                    PRAGMA wal_autocheckpoint = \(checkpoint);
                    PRAGMA journal_size_limit = \(checkpoint * RecordingSchema.pageSize);
                    \(setup.map { $0 + ";" } ?? "")
                    """
            )
        }
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// Writes entries in one transaction, and then applies the limits.
    ///
    /// - Throws: An error from SQLite. In that case, no entry of this call is written.
    func write(_ entries: [RecordingEntry]) throws {
        guard !entries.isEmpty else { return }
        let before = (samples, first, last)
        do {
            try queue.write { db in
                for entry in entries { try write(entry, db) }
            }
        } catch {
            (samples, first, last) = before
            throw error
        }
        if let last { try applyLimits(now: last) }
    }

    private func write(_ entry: RecordingEntry, _ db: Database) throws {
        switch entry {
        case .sample(let value, let time): try add(value, at: time, db)
        case .gap(let source, let start, let end, let reason):
            let id = try source.map { try sourceID($0, in: db) }
            try db.execute(
                sql: "INSERT INTO gap (source, start_ms, end_ms, reason) VALUES (?, ?, ?, ?)",
                arguments: [id, start, end, reason]
            )
        case .result(let json):
            try db.execute(
                sql: "INSERT OR REPLACE INTO result (session, data) VALUES (?, ?)",
                arguments: [session, json]
            )
        case .event(let source, let time, let message):
            let id = try sourceID(source, in: db)
            try add(RecordedEvent(time: time, severity: RecordedEvent.trigger, message), id, db)
        }
    }

    private func add(_ event: RecordedEvent, _ source: Int64, _ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO event (source, time_ms, severity, message) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [source, event.time, event.severity, event.message])
    }

    /// Ends the session and leaves a single file, or the file and its log if another program has
    /// the recording open.
    func end(reason: String) throws {
        try queue.write { db in
            try db.execute(
                sql: "UPDATE session SET end_ms = ?, end_reason = ? WHERE id = ?",
                arguments: [last, reason, session]
            )
        }
        do {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = DELETE")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // SQLite leaves WAL mode only if no other connection has the file open
            // (https://sqlite.org/pragma.html#pragma_journal_mode). The recording is complete.
            keepsLog = true
        }
    }

    /// Closes the file.
    ///
    /// Later calls to other methods fail.
    func close() { try? queue.close() }

    /// Removes a file that this writer created.
    func removeIfNew() { file.removeIfNew() }

    var summary: RecordingSummary {
        var summary = RecordingSummary(path: path)
        summary.bytes = RecordingFile.size(ofFileAt: path)
        summary.samples = samples
        summary.keepsLog = keepsLog
        if let first, let last { summary.seconds = Double(last - first) / 1000 }
        if summary.seconds >= 1, summary.bytes > bytesBefore {
            let added = Double(summary.bytes - bytesBefore)
            summary.bytesPerHour = UInt64(added / summary.seconds * 3600)
        }
        return summary
    }

    /// Returns the reason for a failure, with a remedy for a locked file, to append to a message.
    static func explanation(_ error: any Error) -> String {
        guard let error = error as? DatabaseError,
            [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
        else { return ": \(reason(error))" }
        return ", because another process has locked it; try again when that process has released "
            + "the lock"
    }

    /// Returns the reason for a failure, for use in a sentence.
    static func reason(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        switch error.resultCode {
        case .SQLITE_FULL: return "the disk is full"
        default: return error.message ?? "\(error)"
        }
    }

    // MARK: Samples

    private func add(_ original: RecordedValue, at time: Int64, _ db: Database) throws {
        let value = original.mappingSQL(mask)
        let name = value.sourceName
        let source = try sourceID(name, in: db)
        let part = try partID(at: time, db)
        let text = try value.json()
        var data = DatabaseValue.text(text)
        var size = text.count
        let encoded = sources[name]?.bases.encode(text, id: nextSample, part: part)
        if let delta = encoded?.delta {
            data = Data(delta).databaseValue
            size = delta.count
        }
        let facts = sources[name]?.facts.facts(of: value) ?? RecordedFacts()
        let numbers: [Int64?] = [
            facts.waitNanoseconds.map { Int64(clamping: $0) },
            facts.waiting.map { Int64($0) },
            facts.walBytes.map { Int64(clamping: $0) },
            facts.busy.map { Int64(clamping: $0) },
        ]
        try db.cachedStatement(
            sql: """
                INSERT INTO sample (id, source, time_ms, base, wait_ns, waiting, wal_bytes, busy,
                  saturation, rate)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            nextSample, source, time, encoded?.base, numbers[0], numbers[1], numbers[2], numbers[3],
            facts.saturation, facts.rate,
        ])
        try db.cachedStatement(sql: "INSERT INTO payload (sample, data) VALUES (?, ?)")
            .execute(arguments: [nextSample, data])
        if case .run(let sample) = value {
            for event in sample.events {
                let severity = event.severity.rawValue
                try add(RecordedEvent(time: time, severity: severity, event.message), source, db)
            }
        }
        self.part?.bytes += size
        nextSample += 1
        samples += 1
        first = first ?? time
        last = max(last ?? time, time)
    }

    private func sourceID(_ name: String, in db: Database) throws -> Int64 {
        if let source = sources[name] { return source.id }
        try db.execute(
            sql: "INSERT INTO source (session, name) VALUES (?, ?)",
            arguments: [session, name]
        )
        let id = db.lastInsertedRowID
        sources[name] = Source(id: id)
        return id
    }

    private func partID(at time: Int64, _ db: Database) throws -> Int64 {
        if let part, part.bytes < limits.partBytes,
            (0..<RecordingLimits.partMilliseconds).contains(time - part.start)
        {
            return part.id
        }
        try db.execute(
            sql: "INSERT INTO part (session, time_ms, first_sample) VALUES (?, ?, ?)",
            arguments: [session, time, nextSample]
        )
        let id = db.lastInsertedRowID
        part = Part(id: id, start: time)
        return id
    }

    // MARK: Limits

    private func applyLimits(now: Int64) throws {
        if let retain = limits.retainNanoseconds {
            let oldest = now - Int64(clamping: retain / 1_000_000)
            while let next = try secondPartStart(), next <= oldest { try deleteOldestPart() }
        }
        guard let limit = limits.fileBytes, let maximum = limits.maximumBytes else { return }
        while try fileBytes() > limit, try secondPartStart() != nil { try deleteOldestPart() }
        if RecordingFile.size(ofFileAt: path) > maximum {
            // If a report is reading the file, the checkpoint fails and is repeated after the next
            // commit.
            _ = try? queue.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        }
    }

    /// Returns the size of the file after the next checkpoint, in bytes.
    private func fileBytes() throws -> UInt64 {
        try queue.read { db in
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            return UInt64(pages) * UInt64(RecordingSchema.pageSize)
        }
    }

    /// Returns the start of the second-oldest part, or `nil` if there is only one part.
    private func secondPartStart() throws -> Int64? {
        try queue.read { db in
            try Int64.fetchOne(db, sql: "SELECT time_ms FROM part ORDER BY id LIMIT 1 OFFSET 1")
        }
    }

    private func deleteOldestPart() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    DELETE FROM part WHERE id = (SELECT min(id) FROM part);
                    DELETE FROM payload
                      WHERE sample < (SELECT first_sample FROM part ORDER BY id LIMIT 1);
                    DELETE FROM sample
                      WHERE id < (SELECT first_sample FROM part ORDER BY id LIMIT 1);
                    DELETE FROM event
                      WHERE time_ms < (SELECT time_ms FROM part ORDER BY id LIMIT 1);
                    DELETE FROM gap
                      WHERE end_ms < (SELECT time_ms FROM part ORDER BY id LIMIT 1);
                    """
            )
        }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA incremental_vacuum")
        }
    }
}

extension DatabaseValue {
    fileprivate static func text(_ bytes: [UInt8]) -> DatabaseValue {
        String(decoding: bytes, as: UTF8.self).databaseValue
    }
}

/// The base samples of a source, which later samples are encoded against.
///
/// Samples can arrive more often than once a second, but most of their values change only once a
/// second. Most samples are therefore encoded as the difference from a recent sample, which itself
/// is encoded as the difference from the latest complete sample in the same part. Because there are
/// only two levels, decoding is fast.
struct SourceBases {
    /// A sample as data for the file.
    struct Encoded: Equatable {
        /// The difference from `base`, or `nil` if the sample is complete.
        var delta: [UInt8]?
        /// The base sample, or `nil` for a complete sample.
        var base: Int64?
    }

    private struct Sample {
        var id: Int64
        var text: [UInt8]
    }

    private var part: Int64?
    private var complete: Sample?
    /// The recent sample, and the size of its difference from the complete sample.
    private var recent: (sample: Sample, size: Int)?

    /// Encodes the next sample of the source.
    ///
    /// - Parameters:
    ///   - text: The sample as JSON.
    ///   - id: The sample's identifier.
    ///   - part: The part of the recording that contains the sample.
    /// - Returns: The data for the file.
    mutating func encode(_ text: [UInt8], id: Int64, part: Int64) -> Encoded {
        guard let complete, self.part == part else {
            return encodeComplete(text, id: id, part: part)
        }
        if let recent {
            let delta = TextDelta.encode(text, from: recent.sample.text)
            // If most values have changed, the sample is a better base for later samples.
            if delta.count <= recent.size / 2 {
                return Encoded(delta: delta, base: recent.sample.id)
            }
        }
        let delta = TextDelta.encode(text, from: complete.text)
        guard delta.count < text.count / 2 else { return encodeComplete(text, id: id, part: part) }
        recent = (Sample(id: id, text: text), delta.count)
        return Encoded(delta: delta, base: complete.id)
    }

    private mutating func encodeComplete(_ text: [UInt8], id: Int64, part: Int64) -> Encoded {
        self.part = part
        complete = Sample(id: id, text: text)
        recent = nil
        return Encoded()
    }
}
