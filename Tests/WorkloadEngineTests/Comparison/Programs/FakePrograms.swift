import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

/// Shell scripts that imitate programs, and their scenario.
struct FakePrograms {
    /// The folder that contains the scripts.
    let folder: URL

    static let yaml = """
        version: 1
        name: pretend
        dataset:
          schema: CREATE TABLE item(id INTEGER PRIMARY KEY)
        arms:
          queue: {type: queue}
          pool: {type: pool, readers: 2}
        phases: [{name: steady, duration: 1s}]
        drain: 100ms
        clients:
          read: {access: read, sql: SELECT 1}
        primary: [read.throughput]
        """

    /// Creates a new folder for a test, which ``remove()`` deletes.
    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Returns the text of a file in the folder.
    func text(_ name: String) -> String {
        (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    }

    /// Writes an executable script, and returns it as a program.
    func script(_ name: String, _ body: String) throws -> ComparedProgram {
        let file = folder.appendingPathComponent("\(name).sh")
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        return ComparedProgram(name: name, path: file.path)
    }

    /// Writes a script that logs its arguments in `NAME.log` and prints a result.
    func program(
        _ name: String,
        setupCommand: String = "",
        _ change: (inout ArmResult) -> Void = { _ in }
    ) throws -> ComparedProgram {
        var run = Self.run
        change(&run)
        var result = RunResult(
            scenario: try Scenario.parse(yaml: Self.yaml, file: "pretend.yaml"),
            environment: HostEnvironment(in: folder, versions: ["poolgauge": "7.\(name.count)"]),
            runs: [run]
        )
        result.environment.syncNanoseconds = nil
        try Data(JSONReport.text(of: result).utf8)
            .write(to: folder.appendingPathComponent("\(name).json"))
        return try script(
            name,
            "echo \"$@\" >> '\(path(name)).log'\n\(setupCommand)\ncat '\(path(name)).json'"
        )
    }

    /// The result of a run of the arm `pool` with 1,000 reads per second.
    static var run: ArmResult {
        var client = ClientResult(
            offered: 3000,
            started: 3000,
            completed: 3000,
            skipped: 0,
            late: 0,
            retried: 0,
            interrupted: 0,
            unfinished: 0,
            errors: [:]
        )
        client.throughput = 1000
        client.response = LatencySummary(
            count: 3000,
            mean: 1_000_000,
            p50: 1_000_000,
            p99: 2_000_000,
            max: 3_000_000
        )
        return ArmResult(
            arm: "pool",
            valid: true,
            partial: false,
            duration: 3,
            environment: [:],
            clients: ["read": client],
            generator: GeneratorResult(),
            thresholds: [],
            invariants: [],
            intervals: []
        )
    }

    /// Returns a comparison of two programs.
    ///
    /// The baseline comes first.
    func comparison(
        _ baseline: ComparedProgram,
        _ judged: ComparedProgram,
        yaml: String = yaml,
        blocks: Int = 6,
        extraTime: Duration = .seconds(60),
        onProgress: (@Sendable (String) -> Void)? = nil
    ) throws -> ComparisonRun {
        var options = ComparisonOptions()
        options.blocks = blocks
        options.duration = .milliseconds(20)
        options.run.folder = folder.appendingPathComponent("runs")
        try FileManager.default.createDirectory(
            at: options.run.folder,
            withIntermediateDirectories: true
        )
        var programs = ComparedPrograms([baseline, judged], arm: "pool")
        programs.extraTime = extraTime
        options.programs = programs
        options.onProgress = onProgress
        return ComparisonRun(
            scenario: try Scenario.parse(yaml: yaml, file: "pretend.yaml"),
            factory: Factory(),
            options: options
        )
    }

    /// A factory for fake targets that accept any statement.
    struct Factory: WorkloadTargetFactory {
        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            return FakeTarget(clock: SimulatedClock(), .init())
        }
    }
}
