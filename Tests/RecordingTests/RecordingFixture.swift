import Foundation
import Telemetry

@testable import Recording

/// Samples of a fictional pool, and functions that record them.
enum Fixture {
    /// 2026-11-22T12:00:00Z, in milliseconds since 1970.
    static let start: Int64 = 1_795_348_800_000

    /// Returns the sample at a given second of a run.
    static func sample(
        _ second: Double,
        arm: String = "pool",
        wait: UInt64 = 0,
        walBytes: UInt64 = 4_096,
        busy: UInt64 = 0,
        saturation: Double? = 0,
        sql: String = "SELECT * FROM mail WHERE folder = 'secret'"
    ) -> Sample {
        var database = DatabaseStatus(
            label: "pool",
            kind: .pool,
            path: "/tmp/app.sqlite",
            journalMode: "wal",
            takenAtNanoseconds: UInt64(second * 1e9) + 1,
            connections: (0..<5).map { number in
                var connection = ConnectionStatus(
                    label: "reader.\(number)",
                    role: number == 0 ? .writer : .reader,
                    state: .statement,
                    accessCount: UInt64(second * 100) + UInt64(number),
                    holder: AccessOrigin(name: "import"),
                    heldNanoseconds: UInt64(second * 1e6),
                    sql: sql
                )
                connection.transaction = .read
                return connection
            },
            readers: ReaderPoolStatus(inUse: 4, open: 5, maximum: 5),
            busyCount: busy,
            wal: WALStatus(bytes: walBytes, frames: walBytes / 4_096)
        )
        if wait > 0 {
            database.waitingReaders = [
                WaiterStatus(origin: AccessOrigin(name: "ui"), waitedNanoseconds: wait)
            ]
        }
        var sample = Sample(
            sequence: Int(second * 10),
            time: second,
            scenario: "inbox",
            arm: arm,
            arms: [arm],
            database: database,
            clients: [ClientStatus(name: "ui", activity: "read", throughput: 100)],
            saturation: saturation
        )
        sample.events = [TelemetryEvent(time: second, severity: .warning, message: "at \(second)")]
        return sample
    }

    static func entry(_ second: Double, sample: Sample) -> RecordingEntry {
        .sample(.run(sample), milliseconds: start + Int64(second * 1000))
    }

    static func writer(
        _ path: String,
        limits: RecordingLimits = RecordingLimits(),
        setup: String? = nil,
        mask: @escaping @Sendable (String) -> String = { $0 }
    ) throws -> RecordingWriter {
        try RecordingWriter(
            path: path,
            limits: limits,
            info: RecordingInfo(kind: .run, tool: "poolgauge test", title: "inbox"),
            clock: (start, 1),
            mask: mask,
            setup: setup
        )
    }

    /// Writes one sample per second, each in a separate transaction, and ends the session.
    static func write(
        _ path: String,
        seconds: Range<Int>,
        _ sample: (Double) -> Sample = { Fixture.sample($0) }
    ) throws {
        let writer = try writer(path)
        for second in seconds {
            try writer.write([entry(Double(second), sample: sample(Double(second)))])
        }
        try writer.end(reason: "the command ended")
        writer.close()
    }
}

/// Calls `body` with the path of a file in a temporary folder that exists only during the call.
func withFile<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("poolgauge-recording-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.appendingPathComponent("a.recording").path)
}

/// Returns the message of the ``RecordingError`` that `body` throws.
func refusal(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as RecordingError { return error.description } catch {
        return "another error: \(error)"
    }
    return nil
}
