import Foundation
import SQLiteEngine
import Telemetry

@testable import Recording

/// A small recording, and operations that read or change one.
enum RecordingBytes {
    /// 2026-11-22T12:00:00Z, in milliseconds since 1970.
    private static let start: Int64 = 1_795_348_800_000
    /// A folder in memory if the system has one; otherwise, the temporary folder.
    private static let folder =
        FileManager.default.fileExists(atPath: "/dev/shm")
        ? "/dev/shm" : NSTemporaryDirectory()

    /// Calls `body` with the path of a file that contains the bytes.
    static func withFile<Value>(_ bytes: [UInt8], _ body: (String) throws -> Value) throws -> Value
    {
        let path = "\(folder)/poolgauge-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
        defer {
            for ending in ["", "-journal", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + ending)
            }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try body(path)
    }

    static let template: [UInt8] = {
        let sample = try? JSONDecoder().decode(
            Sample.self,
            from: Data(Corpus.base("sample").utf8)
        )
        let bytes = try? withFile([]) { path in
            try FileManager.default.removeItem(atPath: path)
            let writer = try RecordingWriter(
                path: path,
                limits: RecordingLimits(),
                info: RecordingInfo(kind: .run, tool: "test", title: "inbox"),
                clock: (start, 1),
                mask: { $0 }
            )
            for second in 0..<3 {
                guard var sample else { continue }
                sample.sequence += second
                // Differences in many values make the encoded difference longer.
                for index in sample.clients.indices {
                    sample.clients[index].throughput = Double(second * 97 + index) / 7
                }
                for index in sample.database.connections.indices {
                    sample.database.connections[index].accessCount += UInt64(second * 97 + index)
                }
                try writer.write([
                    .sample(.run(sample), milliseconds: start + Int64(second) * 1_000)
                ])
            }
            try writer.end(reason: "the command ended")
            writer.close()
            try shrinkPages(path)
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
        return [UInt8](bytes ?? Data())
    }()

    /// Reduces the size of the file, so that more mutations affect bytes that are in use.
    private static func shrinkPages(_ path: String) throws {
        var configuration = Configuration()
        configuration.probes = .off
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = 512; VACUUM") }
        try queue.close()
    }

    /// Reads a recording in the same way as `report` and `replay`.
    static func read(_ path: String) throws {
        let reader = try RecordingReader(path: path)
        var contents = reader.contents
        for row in contents.rows.prefix(4) { _ = try? reader.value(of: row) }
        _ = contents.allGaps()
        for condition in [RecordedCondition.busy, .wait(1), .log(1), .saturation(0.5)] {
            for row in contents.rows.prefix(4) {
                _ = contents.start(of: condition, .after, row.time)
                _ = contents.start(of: condition, .before, row.time)
            }
        }
        _ = try? reader.resultJSON()
        _ = contents.keepNewestKind()
        do { _ = try RecordingReport(reader) } catch let error as RecordingError { throw error }
    }

    private static let columns: [(table: String, columns: [String])] = [
        ("session", ["kind", "tool", "title", "wall_ms", "monotonic_ns", "end_ms"]),
        ("source", ["session", "name"]),
        (
            "sample",
            [
                "source", "time_ms", "base", "wait_ns", "waiting", "wal_bytes", "busy",
                "saturation", "rate",
            ]
        ),
        ("payload", ["data"]),
        ("gap", ["source", "start_ms", "end_ms", "reason"]),
        ("event", ["time_ms", "severity", "message"]),
    ]

    /// Inserts and updates rows with values from an input.
    static func change(_ path: String, _ input: InputReader) throws {
        var input = input
        var configuration = Configuration()
        configuration.probes = .off
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            for _ in 0..<16 where !input.isAtEnd {
                let choice = columns[Int(input.byte()) % columns.count]
                let row = input.byte()
                if row < 8 {
                    let column = choice.columns[Int(input.byte()) % choice.columns.count]
                    try db.execute(
                        sql: "UPDATE OR IGNORE \(choice.table) SET \(column) = ? WHERE rowid = ?",
                        arguments: [value(&input), Int(row)]
                    )
                } else {
                    let placeholders = choice.columns.map { _ in "?" }.joined(separator: ", ")
                    try db.execute(
                        sql: "INSERT OR IGNORE INTO \(choice.table)"
                            + "(\(choice.columns.joined(separator: ", "))) VALUES (\(placeholders))",
                        arguments: StatementArguments(choice.columns.map { _ in value(&input) })
                    )
                }
            }
        }
        try queue.close()
    }

    private static func value(_ input: inout InputReader) -> DatabaseValue {
        switch input.byte() % 8 {
        case 0: .null
        case 1: Double(bitPattern: input.number()).databaseValue
        case 2: String(decoding: input.bytes(8), as: UTF8.self).databaseValue
        case 3: ["run", "watch", "agent"][Int(input.byte()) % 3].databaseValue
        case 4: (start + Int64(input.byte())).databaseValue
        case 5: Data(input.bytes(8)).databaseValue
        default: Int64(bitPattern: input.extreme()).databaseValue
        }
    }
}
