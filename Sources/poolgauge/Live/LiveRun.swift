import CursesTerminal
import Dashboard
import Dispatch
import GRDBTarget
import Scenarios
import Synchronization
import Telemetry
import TerminalUI
import WorkloadEngine

/// A run of one arm on background threads, which provides samples for a display.
final class LiveRun: Sendable {
    typealias Outcome = Result<ArmResult, any Error>

    private struct Inbox {
        /// The newest samples, because a display whose terminal is stopped (`^S`) takes none.
        var samples = RingBuffer<Sample>(capacity: DashboardModel.capacity)
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
            defer {
                state.samples.removeAll()
                state.outcome = nil
            }
            return (state.samples.elements, state.outcome)
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
    func set(_ setting: LoadSetting) throws { try run.set(setting) }
}

/// A session that runs a scenario in the dashboard, and then removes the run's files.
struct LiveSession {
    let scenario: Scenario
    let options: LiveOptions
    /// The recording that receives the samples.
    let recording: DisplayRecording

    /// Shows the dashboard in the process's terminal and reports on each arm.
    func run() throws {
        let datasets = DatasetStore()
        defer { datasets.remove() }
        let keys = try DashboardKeys(changing: options.display.keyChanges)
        var failure: (any Error)?
        try DisplaySession(options: options.display).run { terminal, glyphs in
            content(on: terminal, glyphs, keys: keys, datasets: datasets)
        } report: { content in
            try report(content)
            failure = content.failure
        }
        if let failure { throw failure }
    }

    /// Renders the dashboard without a terminal and returns the last frame.
    func picture(size: Size) throws -> Surface {
        let datasets = DatasetStore()
        defer { datasets.remove() }
        let keys = try DashboardKeys(changing: options.display.keyChanges)
        return try DisplaySession(options: options.display).picture(size: size) {
            content(on: $0, $1, keys: keys, datasets: datasets)
        }
    }

    private func content(
        on terminal: any Terminal,
        _ glyphs: DisplaySession.Glyphs,
        keys: DashboardKeys,
        datasets: DatasetStore
    ) -> RunDisplay {
        RunDisplay(
            scenario: scenario,
            options: options,
            model: DashboardModel(
                theme: options.display.theme,
                themes: options.display.themes,
                glyphs: glyphs.first,
                glyphChoices: glyphs.choices,
                keys: keys,
                refreshRate: options.display.refreshRate
            ),
            datasets: datasets,
            recording: recording,
            terminal: terminal
        )
    }

    private func report(_ content: RunDisplay) throws {
        if let destination = options.report {
            let result = RunResult(
                scenario: content.scenario,
                environment: HostEnvironment(
                    in: RunOptions().folder,
                    scenario: content.scenario,
                    versions: HeadlessRun.versions
                ),
                runs: content.results
            )
            try destination.write(options.format.report(on: result))
        }
        for verdict in content.verdicts { try StandardOutput.write(verdict + "\n") }
    }
}

/// The options for runs in the dashboard.
struct LiveOptions {
    /// The first arm to run, or `nil` for the scenario's first arm.
    var arm: String?
    /// Whether the next arm starts automatically when an arm's run ends.
    var startsNextArm = false
    /// Whether the program quits when the arm's run ends.
    var endsWithRun = false
    /// A copy of the user's database, or `nil` to use the scenario's data.
    var database: UserDatabase?
    /// The file for the report, or `nil` to write one line per arm to standard output.
    var report: ReportDestination?
    var format = ReportFormat.text
    /// A closure that receives each sample, in addition to the dashboard.
    var onSample: (@Sendable (Sample) -> Void)?
    var display: DisplayOptions

    init() throws { display = try DisplayOptions() }

    init(display: DisplayOptions) { self.display = display }
}
