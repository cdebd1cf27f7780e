import Foundation
import Telemetry

/// An object that runs the blocks of a comparison in other programs, with the same data for all
/// programs.
final class ProgramRunner: Sendable {
    private struct State: Sendable {
        var isStopped = false
        var current: ProgramProcess?
        var programs: [ComparedProgram]
    }

    /// A file's inode, size, and modification time, which change if a build replaces the file.
    private struct Identity: Equatable {
        var numbers: [Int]

        init(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else {
                numbers = []
                return
            }
            #if canImport(Glibc)
            let time = status.st_mtim
            #else
            let time = status.st_mtimespec
            #endif
            numbers = [Int(status.st_ino), Int(status.st_size), time.tv_sec, time.tv_nsec]
        }
    }

    private let options: ComparedPrograms
    private let identities: [Identity]
    private let scenario: Scenario
    /// The folder for the scenario, the data, and the running program's files.
    private let folder: URL
    /// The scenario as YAML.
    private let text: String
    private let data: URL
    private let dataIdentity: Identity
    private let limit: Duration
    private let state: Lock<State>

    /// Prepares the scenario and builds the data.
    ///
    /// Building ends early if `isStopped` returns `true`.
    ///
    /// - Throws: ``ScenarioError``, ``RunError``, or an error from the dataset.
    init(
        _ options: ComparedPrograms,
        _ scenario: Scenario,
        on arm: Arm,
        factory: any WorkloadTargetFactory,
        options run: RunOptions,
        datasets: DatasetStore,
        isStopped: () -> Bool,
        onProgress: (@Sendable (String) -> Void)?
    ) throws {
        self.options = options
        self.scenario = scenario
        identities = options.programs.map { Identity($0.path) }
        state = Lock(State(programs: options.programs))
        folder = run.folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        text = try scenario.text(withArm: options.arm)
        try PrivateFolder.create(at: folder)
        if case .copy(let file) = run.database {
            data = file
        } else {
            data = folder.appendingPathComponent("data.sqlite")
            do {
                var reportedTenths = -1
                try datasets.copy(dataOf: scenario, for: arm, through: factory, to: data) { share in
                    if isStopped() { throw CancellationError() }
                    let tenth = Int(share * 10)
                    guard tenth > reportedTenths else { return }
                    reportedTenths = tenth
                    onProgress?("building the data: \(tenth * 10)%")
                }
            } catch is CancellationError {
                state.withLock { $0.isStopped = true }
            } catch {
                try? FileManager.default.removeItem(at: folder)
                throw RunError.building(scenario, for: arm, error, through: factory)
            }
        }
        dataIdentity = Identity(data.path)
        let phases = scenario.phases.reduce(scenario.drain) { $0 + $1.duration }
        // Allow time for copying the data, possibly on a slow disk.
        let copying = Duration.seconds(Double(FreeSpace.size(of: data.path)) / 10e6)
        limit = phases * 3 + options.extraTime + copying
    }

    var programs: [ComparedProgram] { state.withLock { $0.programs } }

    func stop() {
        let current = state.withLock { state in
            state.isStopped = true
            return state.current
        }
        current?.stop()
    }

    func kill() {
        let current = state.withLock { state in
            state.isStopped = true
            return state.current
        }
        current?.killGroup()
    }

    func close() { try? FileManager.default.removeItem(at: folder) }

    /// Runs a program once.
    ///
    /// - Returns: The result with the program's name as the arm, or `nil` if the run was stopped.
    /// - Throws: ``RunError`` if there is no result.
    func run(_ name: String, seed: UInt64) async throws -> ArmResult? {
        let found = options.programs.firstIndex { $0.name == name }
        guard let index = found else { return nil }
        let program = options.programs[index]
        guard Identity(program.path) == identities[index] else {
            throw RunError(
                .program,
                "'\(program.path)' changed during the comparison; compare a copy of it"
            )
        }
        // Write a copy of the scenario for each run, so that a program cannot affect the next run.
        let runFolder = folder.appendingPathComponent("run")
        let file = runFolder.appendingPathComponent("scenario.yaml")
        try? FileManager.default.removeItem(at: runFolder)
        try PrivateFolder.create(at: runFolder)
        try text.write(to: file, atomically: false, encoding: .utf8)
        let process = ProgramProcess(
            program.path,
            ["run", file.path, "--arm", options.arm, "--seed", "\(seed)"] + options.arguments
                + ["--database", data.path, "--format", "json"],
            environment: options.environment,
            in: runFolder,
            limit: limit
        )
        let isStopped = state.withLock { state in
            state.current = process
            return state.isStopped
        }
        if isStopped { return nil }
        defer { state.withLock { $0.current = nil } }
        let promise = Promise<Result<ProgramProcess.Outcome, any Error>>()
        let thread = Thread { promise.fulfill(Result { try process.run() }) }
        thread.name = "poolgauge.program"
        thread.start()
        let outcome = try await promise.value().get()
        try? FileManager.default.removeItem(at: runFolder)
        if outcome.end == .stopped { return nil }
        guard Identity(data.path) == dataIdentity else {
            throw RunError(
                .program,
                "'\(program.path)' changed the file passed with --database, so the next run would "
                    + "have different data; the program must use a copy of the file"
            )
        }
        let result = try ProgramResult(
            program: program,
            arm: options.arm,
            scenario: scenario,
            path: file.path,
            limit: limit
        ).result(of: outcome)
        state.withLock { $0.programs[index].versions = result.environment.versions }
        guard var run = result.runs.first else { return nil }
        run.arm = name
        return run
    }
}
