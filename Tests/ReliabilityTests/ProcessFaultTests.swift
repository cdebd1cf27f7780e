import FaultPaths
import Foundation
import Testing

/// Injects faults that affect a whole process, in processes of `Tests/FaultRunner`.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ProcessFaultTests {
    /// Makes each allocation by SQLite on each path through the engine fail.
    @Test(arguments: FaultPath.all)
    func aFailingAllocationViolatesNoGuarantee(path: FaultPath) throws {
        try expectNoFindings(["allocations", path.name, "once", Self.stride])
    }

    /// Makes each allocation on each path fail together with all later ones.
    @Test(arguments: FaultPath.all)
    func failingAllocationsViolateNoGuarantee(path: FaultPath) throws {
        try expectNoFindings(["allocations", path.name, "always", Self.stride])
    }

    private static let stride = Length.isFull ? "1" : "83"

    @Test(arguments: FaultPath.all)
    func exhaustedDescriptorsViolateNoGuarantee(path: FaultPath) throws {
        try expectNoFindings(["descriptors", path.name, Length.isFull ? "1" : "6"])
    }

    @Test func theErrorExplainsAReadOnlyFolder() throws { try expectNoFindings(["read-only"]) }

    private static let fakeTime: String? = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    ].first { FileManager.default.fileExists(atPath: $0) }

    @Test(.enabled(if: fakeTime != nil, "this test requires the package faketime"))
    func theClockCanBeSetBack() throws {
        let folder = try FaultFolder()
        let file = folder.url.appendingPathComponent("time").path
        try Data("+0d\n".utf8).write(to: URL(fileURLWithPath: file))
        try expectNoFindings(
            ["clock", file],
            environment: [
                "LD_PRELOAD": Self.fakeTime ?? "",
                "FAKETIME_TIMESTAMP_FILE": file,
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "DONT_FAKE_MONOTONIC": "1",
            ]
        )
    }

    private func expectNoFindings(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws {
        let result = try FaultRunnerProcess.run(arguments, environment: environment)
        for finding in result.findings { Issue.record("\(finding)") }
        #expect(result.attacks ?? 0 > 0, "\(result.end ?? "no attack")")
        Length.report("\(arguments.joined(separator: " ")): \(result.attacks ?? 0) attacks")
    }
}
