import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that malformed headers result in `nil` or in values within bounds, and never trap.
struct HeaderMutationTests {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.filter { !$0.isWhitespace })
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }

    /// A header of each kind of file.
    static let samples: [[UInt8]] = [
        HeaderSamples.database, HeaderSamples.log, HeaderSamples.index, HeaderSamples.journal,
    ]

    @Test(.timeLimit(.minutes(1)))
    func oneHundredThousandMutationsNeverTrap() {
        var random = SeededRandom(seed: 20_261_122)
        var parsed = 0
        for round in 0..<100_000 {
            var bytes = Self.samples[round % Self.samples.count]
            for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...4, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
                case 2: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
                case 3: bytes[index] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
                default: bytes.insert(.random(in: 0...255, using: &random), at: index)
                }
            }
            if check(bytes) { parsed += 1 }
        }
        // Some mutations must pass the first checks.
        #expect(parsed > 1_000)
    }

    /// Parses bytes as each kind of file, and uses the results.
    private func check(_ bytes: [UInt8]) -> Bool {
        let header = DatabaseHeader(bytes)
        let log = WALHeader(bytes)
        let index = WALIndexHeader(bytes)
        let journal = JournalHeader(bytes)
        for mark in -1...6 { _ = index?.pinnedFrames(mark: mark) }
        if let index { #expect(index.backfilled <= index.frames) }
        var sample = FileSample()
        sample.database.bytes = bytes
        sample.database.identity = FileIdentity(device: .init(major: 1, minor: 2), inode: 3)
        sample.database.size = UInt64(bytes.count)
        sample.index = sample.database
        sample.wal = sample.database
        sample.journal = sample.database
        let observation = Observation(now: 1, weight: 1, files: ObservedFiles(sample))
        var monitor = DatabaseMonitor(path: "x")
        monitor.update(observation)
        return header != nil || log != nil || index != nil || journal != nil
    }

    @Test func truncatedHeadersAreRejected() {
        for sample in Self.samples {
            for count in 0..<sample.count {
                _ = check(Array(sample.prefix(count)))
            }
        }
        #expect(DatabaseHeader(Array(HeaderSamples.database.prefix(95))) == nil)
        #expect(WALHeader(Array(HeaderSamples.log.prefix(31))) == nil)
        #expect(WALIndexHeader(Array(HeaderSamples.index.prefix(135))) == nil)
    }

    @Test func malformedHelperMessagesNeverTrap() {
        var random = SeededRandom(seed: 3)
        var sample = FileSample()
        sample.probes = [
            FileSample.Probe(byte: 120, isIndex: true, isWrite: true, process: 7),
            FileSample.Probe(byte: 0x4000_0002, isIndex: false, isWrite: false, process: 0),
        ]
        #expect(FileSample(sample.bytes) == sample)
        for _ in 0..<20_000 {
            var bytes = sample.bytes
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                in: 0...255,
                using: &random
            )
            bytes.removeLast(Int.random(in: 0...3, using: &random))
            _ = FileSample(bytes)
            _ = SampleBatch(bytes)
            _ = HelperRequest(bytes)
        }
    }
}
