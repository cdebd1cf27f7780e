import Foundation
import GRDBTarget
import Scenarios
import Synchronization
import WorkloadEngine

/// The load of a scenario on a copy, which begins before the migration and ends after it.
final class RehearsalLoad: Sendable {
    private let run: WorkloadRun
    private let control: RehearsalControl
    private let state = State()
    let periods = LoadPeriods()

    /// What the threads of the load report.
    private final class State: Sendable {
        let isRunning = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<ArmResult, any Error>?>(nil)
        private let hasStarted = Mutex(false)

        func start() {
            let isFirst = hasStarted.withLock { hasStarted in
                defer { hasStarted = true }
                return !hasStarted
            }
            if isFirst { isRunning.signal() }
        }

        func end(_ result: Result<ArmResult, any Error>) {
            outcome.withLock { $0 = result }
            start()
            hasEnded.signal()
        }
    }

    /// The time after which the load ends even if the migration has not ended.
    private static let longest = Duration.seconds(7 * 24 * 3600)

    /// Starts a load.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - arm: One of its arms, whose connections use the file.
    ///   - path: The path of the copy.
    ///   - folder: The folder for temporary files.
    ///   - control: The control, which ends the load.
    ///   - report: A function that receives the progress.
    init(
        _ scenario: Scenario,
        arm: Arm,
        on path: String,
        in folder: URL,
        control: RehearsalControl,
        reporting report: @escaping @Sendable (String) -> Void
    ) {
        self.control = control
        var options = RunOptions()
        options.folder = folder
        options.processCommand = ClientProcess.command
        options.database = .inPlace(URL(fileURLWithPath: path))
        options.onProgress = report
        options.endsAtMissedThresholds = false
        options.periods = periods
        options.onSample = { [state] sample in
            if sample.state == .running { state.start() }
        }
        run = WorkloadRun(
            scenario: scenario.continuous(for: Self.longest),
            arm: arm,
            factory: LibraryTargetFactory(),
            options: options
        )
        control.follow(load: run)
        Task.detached { [run, state] in
            let result: Result<ArmResult, any Error>
            do { result = .success(try await run.run()) } catch { result = .failure(error) }
            state.end(result)
        }
    }

    /// Waits until the clients run.
    ///
    /// - Throws: The error of the load, or `CancellationError` after a signal.
    func waitUntilRunning() throws {
        state.isRunning.wait()
        state.isRunning.signal()
        try control.check()
        try checkThatItRuns()
    }

    /// Throws if the load has ended.
    func checkThatItRuns() throws {
        switch state.outcome.withLock({ $0 }) {
        case nil: return
        case .failure(let error): throw error
        case .success(let result):
            throw CommandFailure(
                "the load ended before the migration"
                    + (result.failures.map { ": " + $0.joined(separator: "; ") } ?? ""),
                status: ExitStatus.failed.rawValue
            )
        }
    }

    /// Ends the load, and waits until the copy is closed.
    func stop() {
        run.stop()
        state.hasEnded.wait()
        state.hasEnded.signal()
        control.follow(load: nil)
    }
}
