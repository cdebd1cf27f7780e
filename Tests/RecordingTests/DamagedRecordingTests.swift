import Foundation
import TestSupport
import Testing

@testable import Recording

/// Tests recordings that are truncated or partly overwritten.
struct DamagedRecordingTests {
    private func withRecording(_ body: (String, inout Data) throws -> Void) throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<600)
            var data = try Data(contentsOf: URL(fileURLWithPath: path))
            try body(path, &data)
        }
    }

    /// Returns the numbers of listed samples and of decodable samples, and the problems.
    private func read(_ path: String) throws -> (listed: Int, decoded: Int, problems: [String]) {
        let reader = try RecordingReader(path: path)
        let rows = reader.contents.rows
        let decoded = rows.count { row in
            guard let value = try? reader.value(of: row) else { return false }
            let second = Double(row.time - Fixture.start) / 1000
            return value == .run(Fixture.sample(second))
        }
        return (rows.count, decoded, reader.contents.problems)
    }

    @Test(arguments: [0.5, 0.8, 0.95])
    func intactPartsOfATruncatedFileAreRead(share: Double) throws {
        try withRecording { path, data in
            let length = Int(Double(data.count) * share)
            try data.prefix(length).write(to: URL(fileURLWithPath: path))
            let found = try read(path)
            #expect(found.decoded > Int(300 * share), "\(found)")
            #expect(found.decoded < 600, "\(found)")
            #expect(share > 0.9 || !found.problems.isEmpty, "\(found)")
        }
    }

    @Test(arguments: 1..<20)
    func intactPartsOfAnOverwrittenFileAreRead(seed: UInt64) throws {
        try withRecording { path, data in
            var generator = SeededRandom(seed: seed)
            let pages = data.count / 4_096
            // The first pages contain the roots of the tables.
            for _ in 0..<3 {
                let page = Int.random(in: 12..<pages, using: &generator)
                for offset in 0..<4_096 {
                    data[page * 4_096 + offset] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            try data.write(to: URL(fileURLWithPath: path))
            let found = try read(path)
            #expect(found.decoded > 100, "\(found)")
        }
    }

    @Test func aRecordingWithoutReadableSamplesIsReportedOnce() throws {
        try withRecording { path, data in
            try data.prefix(4_096).write(to: URL(fileURLWithPath: path))
            let reader = try RecordingReader(path: path)
            #expect(reader.contents.rows.isEmpty)
            let error = #expect(throws: RecordingError.self) { try RecordingReport(reader) }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.hasPrefix("'\(path)' is damaged, and no samples can be read from it"))
            #expect(text.contains("damaged tables: session, "))
            #expect(text.hasSuffix("; use a backup of the recording"))
        }
    }

    @Test func aDestroyedFirstPageIsExplained() throws {
        try withRecording { path, data in
            data.replaceSubrange(0..<4_096, with: Data(repeating: 0, count: 4_096))
            try data.write(to: URL(fileURLWithPath: path))
            let message = refusal { _ = try RecordingReader(path: path) }
            #expect(message?.contains("its first page is damaged") == true)
        }
    }

    @Test func anEmptyFileIsExplained() throws {
        try withFile { path in
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(refusal { _ = try RecordingReader(path: path) }?.contains("recording") == true)
        }
    }
}
