import Dispatch
import GRDBTarget
import Synchronization
import Telemetry
import WorkloadEngine

/// The run of one arm, beside a screen that looks in ten times a second.
final class LiveRun: Sendable {
    /// How a run ended.
    typealias Outcome = Result<ArmResult, any Error>

    private struct Inbox {
        var samples: [Sample] = []
        var outcome: Outcome?
    }

    let arm: Arm
    private let run: WorkloadRun
    private let inbox: Box
    private let isOver = DispatchSemaphore(value: 0)

    /// Shared with the run's callback, which begins before this object is complete.
    private final class Box: Sendable {
        let state = Mutex(Inbox())
    }

    /// Begins the run.
    init(
        scenario: Scenario,
        arm: Arm,
        datasets: DatasetStore,
        database: UserDatabase? = nil
    ) {
        self.arm = arm
        let inbox = Box()
        self.inbox = inbox
        var options = RunOptions()
        options.processCommand = ClientProcess.command
        options.datasets = datasets
        options.database = database
        options.onSample = { sample in inbox.state.withLock { $0.samples.append(sample) } }
        let run = WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: LibraryTargetFactory(),
            options: options
        )
        self.run = run
        let isOver = self.isOver
        Task.detached {
            let outcome: Outcome
            do { outcome = .success(try await run.run()) } catch { outcome = .failure(error) }
            inbox.state.withLock { $0.outcome = outcome }
            isOver.signal()
        }
    }

    /// The samples since the last call, and how the run ended if it did; the outcome comes once.
    func take() -> (samples: [Sample], outcome: Outcome?) {
        inbox.state.withLock { state in
            defer { state = Inbox() }
            return (state.samples, state.outcome)
        }
    }

    /// Ends the run, and waits for the end of what it has open.
    func end(within seconds: Int) {
        run.stop()
        if isOver.wait(timeout: .now() + .seconds(seconds)) == .success { isOver.signal() }
    }

    /// Ends the run; its outcome follows.
    func stop() { run.stop() }

    /// Holds the load back, and its time: accesses that run go on.
    func pause() { run.pause() }

    /// Lets a load that was held back go on.
    func resume() { run.resume() }

    /// Interrupts every statement that runs.
    func interrupt() { run.interrupt() }

    /// Interrupts the statement of one connection; false when it cannot be reached.
    func interrupt(connection label: String) -> Bool { run.interrupt(connection: label) }

    /// Copies the write-ahead log into the database soon.
    func checkpoint(_ mode: CheckpointMode) { run.checkpoint(mode) }

    /// Takes a snapshot and keeps it.
    func makeSnapshot() { run.makeSnapshot() }

    /// Releases the snapshot with this label, or the oldest, that ``makeSnapshot()`` took.
    func releaseSnapshot(label: String?) { run.releaseSnapshot(label: label) }

    /// Turns a knob of the load.
    ///
    /// - Throws: Why it cannot be turned.
    func set(_ knob: LoadKnob) throws { try run.set(knob) }
}
