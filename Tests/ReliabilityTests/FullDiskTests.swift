import FaultPaths
import Foundation
import Recording
import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Tests databases and recordings on a full disk.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FullDiskTests {
    /// A tmpfs of 2 MB, which the deinitializer unmounts.
    private final class SmallDisk {
        let folder: FaultFolder

        init?() throws {
            folder = try FaultFolder()
            guard Self.run("mount", ["-t", "tmpfs", "-o", "size=2m", "poolgauge", folder.url.path])
            else { return nil }
        }

        deinit { _ = Self.run("umount", [folder.url.path]) }

        static var isAvailable: Bool { (try? SmallDisk()) ?? nil != nil }

        private static func run(_ program: String, _ arguments: [String]) -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [program] + arguments
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    @Test(
        .enabled(if: SmallDisk.isAvailable, "mounting a small disk requires root on Linux"),
        arguments: Subject.allCases
    )
    func aFullDiskLosesNoCommit(subject: Subject) throws {
        let disk = try #require(try SmallDisk())
        let reserve = disk.folder.url.appendingPathComponent("reserve")
        try Data(count: 400_000).write(to: reserve)
        var rows = WrittenRows()
        let writer = try subject.open(disk.folder.database)
        try WrittenRows.create(in: writer)
        for _ in 0..<3 {
            var failure: (any Error)?
            for _ in 0..<5_000 where failure == nil {
                do { try rows.write(writer) } catch { failure = error }
            }
            let error = try #require(failure as? DatabaseError)
            #expect(error.resultCode == .SQLITE_FULL, "\(error)")
            #expect(try writer.read { try rows.contradiction(in: $0) } == nil)
        }
        try FileManager.default.removeItem(at: reserve)
        try rows.write(writer)
        #expect(try writer.read { try rows.contradiction(in: $0) } == nil)
        try writer.close()
        let reopened = try subject.open(disk.folder.database)
        #expect(try reopened.read { try rows.contradiction(in: $0) } == nil)
        try reopened.close()
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small disk requires root on Linux"))
    func aFullDiskEndsARecording() throws {
        let disk = try #require(try SmallDisk())
        let pool = try DatabasePool(path: disk.folder.database)
        let path = disk.folder.url.appendingPathComponent("full.recording").path
        let recorder = try FlightRecorder(
            path: path,
            limits: RecordingLimits(),
            info: RecordingInfo(kind: .run, tool: "a test", title: "faults"),
            mask: { $0 }
        )
        try Data(count: 1_400_000).write(to: disk.folder.url.appendingPathComponent("reserve"))
        var random = SeededRandom(seed: 7)
        for second in 0..<1_500 {
            let sample = Sample(
                sequence: second,
                time: Double(second),
                scenario: (0..<20).map { _ in "\(random.next())" }.joined(),
                arm: "pool",
                database: pool.status()
            )
            recorder.record(.run(sample))
        }
        let summary = recorder.end(reason: "the test has ended")
        #expect(recorder.takeFailure() == "recording to '\(path)' ended: the disk is full")
        #expect(try RecordingReader(path: path).contents.rows.count == summary.samples)
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
        try pool.close()
    }
}
