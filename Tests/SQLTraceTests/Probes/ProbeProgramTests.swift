#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLTrace

/// Tests the programs for the kernel.
struct ProbeProgramTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Runs a command, and returns its output, or `nil` if it failed.
    private func output(_ path: String, _ arguments: [String] = []) -> String? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }

    @Test func theProgramsAreThoseOfTheSource() throws {
        let version = output("/usr/bin/env", ["clang", "--version"])?.split(separator: "\n").first
        guard version.map(String.init) == ProbePrograms.compiler else {
            print("not compared: the programs were compiled by \(ProbePrograms.compiler)")
            return
        }
        let built = try #require(output(Self.root.path + "/.ci/probe-programs"))
        let file = Self.root.path + "/Sources/Watch/SQLTrace/Probes/ProbePrograms.swift"
        #expect(try String(contentsOfFile: file, encoding: .utf8) == built)
    }

    @Test(.enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"))
    func theVerifierAcceptsThePrograms() throws {
        let library = try #require(
            TracedLibraries.test("/usr/lib/x86_64-linux-gnu/libsqlite3.so.0")
                ?? TracedLibraries.test("/usr/lib/aarch64-linux-gnu/libsqlite3.so.0")
        )
        let layout = StatementLayout(
            sql: 280,
            connection: 56,
            programCounter: 48,
            resultCode: 52,
            steps: 256,
            autocommit: 1_000,
            filePointers: [32, 8, 8, 0, 216],
            busyCalls: 600,
            busyTimeout: 604,
            values: .init(array: 1_000, count: 30, stride: 56, flags: 20, length: 16, pointer: 8)
        )
        for readsValues in [false, true] {
            for way in [ProbeSupport.Way.session, .link, .event(type: 0)] {
                let kernel = try ProbeKernel(way: way, readsValues: readsValues)
                for hasReturns in [false, true] {
                    _ = try kernel.programs(
                        of: library,
                        layout,
                        hasReturns: hasReturns,
                        isSeparate: hasReturns
                    )
                }
            }
        }
    }

    /// The bytes of records as in the kernel's buffer.
    private static func ring(_ records: [[UInt8]]) -> [UInt8] {
        records.flatMap { record in
            let padding = [UInt8](repeating: 0, count: (8 - record.count % 8) % 8)
            return UInt64(record.count).bytes + record + padding
        }
    }

    @Test func damagedRecordsAreSkipped() {
        var random = SeededRandom(seed: 38)
        var decoder = ExecutionDecoder { _, path in path == "/other" ? .other : .watched(0) }
        var records = 0
        for round in 0..<20_000 {
            var record = (0..<Int.random(in: 0...400, using: &random)).map { _ in
                Bool.random(using: &random) ? 0 : UInt8.random(in: 0...255, using: &random)
            }
            // The kind, and process and thread IDs that occur more than once.
            for index in record.indices.prefix(17) {
                record[index] = index < 16 ? UInt8(index & 1) : UInt8(round % 9)
            }
            var bytes = Self.ring([record, record])
            if round % 4 == 0 {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            let read = bytes.withUnsafeBytes { data in
                RecordRing.read(data, from: 0, count: data.count) { bytes in
                    guard let record = ProbeRecord(bytes) else { return }
                    records += 1
                    _ = decoder.decode(record)
                }
            }
            #expect(read <= bytes.count)
        }
        #expect(records > 1_000)
    }

    @Test func incompleteAndDiscardedRecordsAreNotRead() {
        let record = [UInt8](repeating: 1, count: 12)
        var bytes = Self.ring([record, record, record])
        // BPF_RINGBUF_DISCARD_BIT in the first record, BPF_RINGBUF_BUSY_BIT in the third.
        bytes[3] |= 0x40
        bytes[2 * 24 + 3] |= 0x80
        var counts: [Int] = []
        let read = bytes.withUnsafeBytes { data in
            RecordRing.read(data, from: 0, count: data.count) { counts.append($0.count) }
        }
        #expect(counts == [12])
        #expect(read == 48)
    }
}

extension SQLiteLibrary {
    /// Opens a library, or returns `nil` if it does not exist.
    static func test(_ path: String) -> SQLiteLibrary? {
        DescriptorFile.open(path).map { file in
            let bytes = DescriptorFile.bytes(of: file.descriptor)
            let description = FileDescription(of: bytes, searchesCopy: false)
            return SQLiteLibrary(path: path, file, description)
        }
    }
}

extension TracedLibraries {
    /// Returns a library for tests, or `nil` if it does not exist.
    fileprivate static func test(_ path: String) -> Entry? {
        SQLiteLibrary.test(path).map {
            Entry(number: 0, library: $0, code: 0x1000..<0x100000)
        }
    }
}
#endif
