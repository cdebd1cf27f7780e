import ArgumentParser
import CSQLite
import Dispatch
import Foundation
import GRDBTarget
import Recording
import Reports
import Scenarios
import Synchronization
import Telemetry
import WorkloadEngine

/// A run of a scenario's arms without a display, followed by a report.
struct HeadlessRun {
    let scenario: Scenario
    let arms: [Arm]
    var progress = ProgressMode.auto
    var keepsFolder = false
    /// The user's database, or `nil` for the scenario's data.
    var database: UserDatabase?
    /// A closure that receives each sample, in addition to the progress report.
    var onSample: (@Sendable (Sample) -> Void)?
    var recorder: FlightRecorder?

    init(scenario: Scenario, arms: [Arm]) {
        self.scenario = scenario
        self.arms = arms
    }

    /// Runs the arms, writes the report, and throws the exit status.
    func run(format: ReportFormat, to destination: ReportDestination) throws {
        let (result, signal) = try measure()
        if let recorder, !result.runs.isEmpty {
            recorder.record(resultJSON: try JSONReport.text(of: result))
        }
        // If nothing was measured, keep the existing report file.
        if !result.runs.isEmpty || format != .text && !destination.isFile {
            try destination.write(format.report(on: result))
        }
        throw ExitCode(signal, or: result.exitStatus)
    }

    /// Runs the arms.
    ///
    /// - Returns: The results, and the signal that ended the run early, if any.
    func measure() throws -> (result: RunResult, signal: Int32?) {
        let reporter = ProgressReporter(progress)
        let folder = try RunFolder(isKept: keepsFolder)
        defer { folder.remove() }
        let datasets = DatasetStore(in: folder.url)
        defer { datasets.remove() }
        var options = RunOptions()
        options.folder = folder.url
        options.datasets = datasets
        options.keepsFolder = keepsFolder
        options.processCommand = ClientProcess.command
        options.database = database
        options.onSample = { [onSample, recorder] sample in
            reporter.show(sample)
            onSample?(sample)
            recorder?.record(.run(sample))
        }
        options.onProgress = { reporter.showStep($0) }
        options.onKeptFolder = { reporter.announce("the database remains in \($0.path)") }
        let environment = HostEnvironment(
            in: options.folder,
            scenario: scenario,
            versions: Self.versions
        )
        let relay = StopRelay()
        let interruption = Interruption(cleanUp: folder.remove) { relay.stop() }
        var results: [ArmResult] = []
        var failures: [String] = []
        for arm in arms where interruption.signal == nil {
            let run = WorkloadRun(
                scenario: scenario,
                arm: arm,
                factory: LibraryTargetFactory(),
                options: options
            )
            relay.follow(run)
            do {
                results.append(try blocking { try await run.run() })
            } catch is CancellationError {
                break
            } catch let error as RunError where !results.isEmpty && error.code != .scenario {
                // Report this failure together with the results of earlier arms.
                failures.append("\(arm.name): \(error.description)")
                break
            }
        }
        reporter.finish()
        var result = RunResult(scenario: scenario, environment: environment, runs: results)
        if !failures.isEmpty { result.failures = failures }
        if results.isEmpty, interruption.signal != nil {
            StandardError.write("poolgauge: the run was interrupted before its first measurement\n")
        }
        return (result, interruption.signal)
    }

    /// The version of the command and its libraries.
    static let version = "0.2.0"

    static var versions: [String: String] {
        ["poolgauge": version, "sqlite": String(cString: sqlite3_libversion())]
    }
}

/// A relay that forwards stop requests to the current run.
private final class StopRelay: Sendable {
    private struct State {
        var run: WorkloadRun?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Stops the current run and all later runs.
    func stop() {
        let run = state.withLock { state in
            state.isStopped = true
            return state.run
        }
        run?.stop()
    }

    /// Sets the current run, and stops it if a stop has already been requested.
    func follow(_ run: WorkloadRun) {
        let isStopped = state.withLock { state in
            state.run = run
            return state.isStopped
        }
        if isStopped { run.stop() }
    }
}

/// Blocks the current thread until asynchronous work ends.
///
/// Call this function only on the main thread, because threads of the cooperative pool must not
/// block. The main thread has no other work.
func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let outcome = Outcome<Value>()
    let completion = DispatchSemaphore(value: 0)
    Task.detached {
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        outcome.value.withLock { $0 = result }
        completion.signal()
    }
    completion.wait()
    guard let result = outcome.value.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
}

private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
}
