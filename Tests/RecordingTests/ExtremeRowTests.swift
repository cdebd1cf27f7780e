import Foundation
import SQLiteEngine
import Testing

@testable import Recording

/// Tests recordings with numbers that no recorder writes.
struct ExtremeRowTests {
    private static let changes = [
        "UPDATE sample SET time_ms = 9223372036854775807 WHERE id % 2 = 0",
        "UPDATE sample SET time_ms = -9223372036854775808 WHERE id % 2 = 0",
        "UPDATE sample SET time_ms = 9223372036854775807",
        "UPDATE session SET wall_ms = -9223372036854775808, end_ms = 9223372036854775807",
        "INSERT INTO gap (start_ms, end_ms, reason) VALUES (-9223372036854775808, 9223372036854775807, '')",
        "UPDATE sample SET wal_bytes = iif(id % 2 = 0, 0, 9223372036854775807)",
        "UPDATE sample SET busy = 9223372036854775807, wait_ns = 9223372036854775807",
        "UPDATE sample SET rate = 9e999, saturation = -9e999",
    ]

    @Test(arguments: changes)
    func theRowsAreOmittedOrReported(change: String) throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<20)
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: change) }
            try queue.close()
            let reader = try RecordingReader(path: path)
            _ = reader.contents.allGaps()
            for condition in [RecordedCondition.busy, .wait(1), .log(1), .saturation(0)] {
                _ = reader.contents.start(of: condition, .after, Fixture.start)
                _ = reader.contents.start(of: condition, .before, Fixture.start + 20_000)
            }
            if reader.contents.rows.isEmpty {
                #expect(refusal { _ = try RecordingReport(reader) }?.contains("no samples") == true)
            } else {
                let report = try RecordingReport(reader)
                #expect(report.seconds <= 20)
                #expect(report.sources.allSatisfy { $0.rate?.isFinite ?? true })
            }
        }
    }

    /// A copy instruction of a few bytes can refer to the whole base.
    @Test func aDeltaThatDecodesToTooMuchTextIsRejected() {
        let base = [UInt8](repeating: 0x61, count: 1 << 20)
        func delta(copies: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            func append(_ value: Int) {
                var rest = value
                while rest >= 0x80 {
                    bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                    rest >>= 7
                }
                bytes.append(UInt8(rest))
            }
            for number in 0..<copies {
                append(base.count << 1 | 1)
                // Return from the end of the previous copy to the start of the base.
                append(number == 0 ? 0 : 2 * base.count - 1)
            }
            return bytes
        }
        #expect(TextDelta.decode(delta(copies: 3), from: base)?.count == 3 << 20)
        #expect(TextDelta.decode(delta(copies: 65), from: base) == nil)
    }
}
