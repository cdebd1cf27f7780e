import Dispatch
import GRDBTarget
import Synchronization
import Telemetry
import WorkloadEngine

/// A run of one arm on background threads, which provides samples for a display.
final class LiveRun: Sendable {
    typealias Outcome = Result<ArmResult, any Error>

    private struct Inbox {
        var samples: [Sample] = []
        var outcome: Outcome?
    }

    let arm: Arm
    private let run: WorkloadRun
    private let inbox: Box
    private let completion = DispatchSemaphore(value: 0)

    /// State shared with the run's callback, which may be called before this object is initialized.
    private final class Box: Sendable {
        let state = Mutex(Inbox())
    }

    init(
        scenario: Scenario,
        arm: Arm,
        datasets: DatasetStore,
        database: UserDatabase? = nil,
        onSample: (@Sendable (Sample) -> Void)? = nil,
        recording: DisplayRecording
    ) {
        self.arm = arm
        let inbox = Box()
        self.inbox = inbox
        var options = RunOptions()
        options.processCommand = ClientProcess.command
        options.datasets = datasets
        options.database = database
        options.onSample = { sample in
            inbox.state.withLock { $0.samples.append(sample) }
            onSample?(sample)
            recording.recorder?.record(.run(sample))
        }
        let run = WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: LibraryTargetFactory(),
            options: options
        )
        self.run = run
        let completion = self.completion
        Task.detached {
            let outcome: Outcome
            do { outcome = .success(try await run.run()) } catch { outcome = .failure(error) }
            inbox.state.withLock { $0.outcome = outcome }
            completion.signal()
        }
    }

    /// Returns the samples since the last call, and the outcome once the run has ended.
    ///
    /// The outcome is returned only once.
    func take() -> (samples: [Sample], outcome: Outcome?) {
        inbox.state.withLock { state in
            defer { state = Inbox() }
            return (state.samples, state.outcome)
        }
    }

    /// Stops the run, and waits up to the given number of seconds until the run has ended.
    func end(within seconds: Int) {
        run.stop()
        if completion.wait(timeout: .now() + .seconds(seconds)) == .success { completion.signal() }
    }

    /// Requests that the run end.
    ///
    /// A later call to ``take()`` returns the outcome.
    func stop() { run.stop() }

    /// Pauses the load and its clock.
    ///
    /// Running accesses continue.
    func pause() { run.pause() }

    func resume() { run.resume() }

    func interrupt() { run.interrupt() }

    /// Interrupts the statement of one connection, or returns `false` if the connection is not
    /// open.
    func interrupt(connection label: String) -> Bool { run.interrupt(connection: label) }

    func checkpoint(_ mode: CheckpointMode) { run.checkpoint(mode) }

    func makeSnapshot() { run.makeSnapshot() }

    /// Releases a snapshot created by ``makeSnapshot()``.
    ///
    /// If `label` is `nil`, releases the oldest snapshot.
    func releaseSnapshot(label: String?) { run.releaseSnapshot(label: label) }

    /// Changes a setting of the load.
    ///
    /// - Throws: An error that explains why the setting cannot be changed.
    func set(_ knob: LoadKnob) throws { try run.set(knob) }
}
