import Foundation
import SQLiteEngine

/// An object that reads a recording, including the intact parts of a damaged recording.
///
/// The reader loads the metadata of all samples, and decodes samples on request. Only one thread may
/// use a reader.
package final class RecordingReader {
    package let path: String
    package let contents: RecordingContents

    private let queue: DatabaseQueue
    /// The most recently used base samples, keyed by the index of the source and indexed by level.
    ///
    /// Consecutive samples usually have the same base samples. Level 0 contains a complete sample,
    /// and level 1 contains a sample that is stored as the difference from a complete sample.
    private var bases: [Int: [(sample: Int64, text: [UInt8])?]] = [:]
    private static let levelCount = 2

    /// Opens a recording and reads its contents, except for the payloads of samples.
    ///
    /// - Throws: ``RecordingError`` if the file is not a recording, has a newer format, or cannot
    ///   be read at all.
    package init(path: String) throws {
        self.path = path
        let header = try RecordingHeader(path: path)
        guard header.isDatabase else {
            throw RecordingError(
                "'\(path)' is not a recording, or its first page is damaged: it does not start "
                    + "with an SQLite header; specify a file created with --record or 'poolgauge "
                    + "record'"
            )
        }
        guard header.isRecording else {
            throw RecordingError(
                "'\(path)' is a database, but not a recording; specify a file created with "
                    + "--record or 'poolgauge record'"
            )
        }
        try header.check(path: path)
        do {
            (queue, contents) = try Self.open(path)
        } catch let error as RecordingError {
            throw error
        } catch {
            throw RecordingError("'\(path)' cannot be read\(RecordingWriter.explanation(error))")
        }
    }

    private static func open(_ path: String) throws -> (DatabaseQueue, RecordingContents) {
        var configuration = Configuration()
        configuration.probes = .off
        configuration.keepsReadTransactions = false
        configuration.busyMode = .timeout(2)
        let writable = configuration
        configuration.readonly = true
        configuration.prepareDatabase { db in
            // SQLite refuses to read a truncated file unless `PRAGMA writable_schema` is on
            // (https://sqlite.org/pragma.html#pragma_writable_schema).
            try db.execute(sql: "PRAGMA writable_schema = ON; PRAGMA trusted_schema = OFF")
        }
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // A recorder that ended while completing the file left a rollback journal. Only a
            // connection with write access can apply it
            // (https://sqlite.org/rescode.html#readonly_rollback).
            do {
                try DatabaseQueue(path: path, configuration: writable).close()
            } catch {
                throw RecordingError(
                    "'\(path)' cannot be read: its recorder ended before the file was complete, and "
                        + "completing it failed (\(RecordingWriter.reason(error))); make the file and "
                        + "its folder writable"
                )
            }
            queue = try DatabaseQueue(path: path, configuration: configuration)
        }
        try queue.unsafeRead { try RecordingSchema.check($0, path: path) }
        // In a damaged file, the commit of a read transaction fails.
        if let contents = try? queue.read({ try RecordingContents.read($0) }) {
            return (queue, contents)
        }
        return (queue, try queue.unsafeRead { try RecordingContents.read($0) })
    }

    /// Returns whether a file's header identifies the file as a recording.
    package static func isRecording(_ path: String) -> Bool {
        (try? RecordingHeader(path: path))?.isRecording == true
    }

    /// Returns the result of the newest completed run as JSON.
    ///
    /// - Throws: ``RecordingError`` if the recording contains no result.
    package func resultJSON() throws -> String {
        let result = try? queue.read { db in
            try String.fetchOne(db, sql: "SELECT data FROM result ORDER BY session DESC LIMIT 1")
        }
        guard let result else {
            throw RecordingError(
                "'\(path)' contains no result of a run: only 'poolgauge run --record' records one, "
                    + "when the run ends"
            )
        }
        return result
    }

    /// Decodes a sample.
    ///
    /// - Throws: ``RecordingError`` if the sample is damaged.
    package func value(of row: RecordedRow) throws -> RecordedValue {
        guard let kind = contents.kind(of: row) else { throw Self.damageError(for: row) }
        do {
            return try RecordedValue(json: try text(of: row), kind: kind)
        } catch { throw Self.damageError(for: row) }
    }

    private func text(of row: RecordedRow) throws -> [UInt8] {
        let data = try payload(of: row.id)
        guard let base = row.base else { return data }
        return try text(of: row, data, from: try baseText(of: base, source: row.source))
    }

    private func text(of row: RecordedRow, _ data: [UInt8], from base: [UInt8]) throws -> [UInt8] {
        guard let text = TextDelta.decode(data, from: base) else {
            throw Self.damageError(for: row)
        }
        return text
    }

    /// Returns the text of a base sample.
    ///
    /// If `mustBeComplete` is `true`, the sample must not have a base. This requirement prevents an
    /// endless search in a damaged recording.
    private func baseText(
        of sample: Int64,
        source: Int,
        mustBeComplete: Bool = false
    ) throws -> [UInt8] {
        var known = bases[source] ?? Array(repeating: nil, count: Self.levelCount)
        if let base = known.first(where: { $0?.sample == sample }) ?? nil {
            return base.text
        }
        let data = try payload(of: sample)
        guard let base = try baseID(of: sample) else {
            known[0] = (sample, data)
            bases[source] = known
            return data
        }
        guard !mustBeComplete,
            let text = TextDelta.decode(
                data,
                from: try baseText(of: base, source: source, mustBeComplete: true)
            )
        else { throw RecordingError("sample \(sample) is damaged") }
        bases[source]?[1] = (sample, text)
        return text
    }

    private func baseID(of sample: Int64) throws -> Int64? {
        let value = try queue.unsafeRead { db in
            try DatabaseValue.fetchOne(
                db.cachedStatement(sql: "SELECT base FROM sample WHERE id = ?"),
                arguments: [sample]
            )
        }
        return if case .int64(let base)? = value?.storage { base } else { nil }
    }

    private func payload(of sample: Int64) throws -> [UInt8] {
        let value = try queue.unsafeRead { db in
            try DatabaseValue.fetchOne(
                db.cachedStatement(sql: "SELECT data FROM payload WHERE sample = ?"),
                arguments: [sample]
            )
        }
        switch value?.storage {
        case .string(let text): return Array(text.utf8)
        case .blob(let data): return Array(data)
        default: throw RecordingError("sample \(sample) is missing")
        }
    }

    private static func damageError(for row: RecordedRow) -> RecordingError {
        RecordingError("sample \(row.id) is damaged")
    }
}
