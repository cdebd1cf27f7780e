import CursesTerminal
import Dashboard
import Telemetry
import TerminalUI
import Text
import WorkloadEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct RunDisplay: DisplayContent {
    /// The time between pausing the load and suspending the program, in microseconds.
    private static let stopDelay: UInt32 = 50_000

    /// The scenario, including changes that the user made to the numbers of readers.
    var scenario: Scenario
    private let startsNextArm: Bool
    private let endsWithRun: Bool
    private let datasets: DatasetStore
    private let database: UserDatabase?
    private let onSample: (@Sendable (Sample) -> Void)?
    let recording: DisplayRecording
    let terminal: any Terminal
    var model: DashboardModel
    var cycle: ArmCycle
    var run: LiveRun
    /// The settings that the user changed.
    ///
    /// The settings also apply to restarted runs and later arms.
    var knobs: [LoadKnob.Setting: LoadKnob] = [:]
    var isLoadPaused = false
    /// The time for which the program was suspended (^Z) during the current arm's run, in seconds.
    private var suspendedSeconds = 0.0
    /// The arrival time of the first sample with a running load.
    private var loadStart: UInt64?
    /// The verdicts on the arms that have run, one line each.
    private(set) var verdicts: [String] = []
    /// The results of the arms that have run, including partial results.
    private(set) var results: [ArmResult] = []
    /// The failure of the arm that ran last, if any.
    private(set) var failure: (any Error)?

    init(
        scenario: Scenario,
        options: LiveOptions,
        model: DashboardModel,
        datasets: DatasetStore,
        recording: DisplayRecording,
        terminal: any Terminal
    ) {
        self.scenario = scenario
        self.datasets = datasets
        database = options.database
        onSample = options.onSample
        self.recording = recording
        self.terminal = terminal
        self.model = model
        startsNextArm = options.startsNextArm
        endsWithRun = options.endsWithRun
        let first = scenario.arms.firstIndex { $0.name == options.arm } ?? 0
        cycle = ArmCycle(count: scenario.arms.count, current: first)
        run = LiveRun(
            scenario: scenario,
            arm: scenario.arms[first],
            datasets: datasets,
            database: options.database,
            onSample: options.onSample,
            recording: recording
        )
    }

    var refreshRate: Double { model.refreshRate }

    var isPaused: Bool { model.isPaused }

    var isOver: Bool { endsWithRun && cycle.isOver }

    /// Returns the time since the load started, `nil` if the load has not started yet, or `.max` if
    /// the run failed before the load started.
    func age(at now: UInt64) -> UInt64? {
        guard let loadStart else { return cycle.isOver ? .max : nil }
        return now - min(now, loadStart)
    }

    mutating func setDisplayCost(_ share: Double?) { model.displayCPUShare = share }

    func render(size: Size) -> Surface { model.render(size: size) }

    mutating func noteContinued() {
        // Accesses that were scheduled during the suspension are late.
        model.note("the program was suspended while the load was running", severity: .warning)
    }

    /// Ends the run, waits up to five seconds for the removal of its files, and records the result.
    mutating func end() {
        run.end(within: 5)
        let (_, outcome) = run.take()
        if let outcome { record(outcome) }
    }

    mutating func collect() {
        model.show(recording)
        let (samples, outcome) = run.take()
        for sample in samples {
            model.ingest(sample)
            if loadStart == nil, sample.state == .running { loadStart = MonotonicTime.now }
        }
        guard let outcome else { return }
        let canContinue = record(outcome)
        // After a failure, do not start the next arm automatically. Otherwise, the message would
        // disappear.
        perform(cycle.recordRunEnd(startsNext: startsNextArm && canContinue))
        if cycle.isOver {
            let next = scenario.arms[cycle.nextArm].name
            let hints = [
                model.keys.key(for: .nextArm).map { "\($0.label) to run \(next)" },
                model.keys.key(for: .quit).map { "\($0.label) to quit" },
            ].compactMap(\.self)
            model.note(
                hints.isEmpty ? "finished" : "finished; press " + hints.joined(separator: " or ")
            )
        }
    }

    /// Records the outcome of a run, and returns `false` if the run failed.
    @discardableResult
    private mutating func record(_ outcome: LiveRun.Outcome) -> Bool {
        switch outcome {
        case .success(let result):
            results.append(result)
            var verdict = TextReport.verdict(of: result, scenario: scenario.name)
            if suspendedSeconds > 0 {
                let time = HumanUnits.seconds(suspendedSeconds)
                verdict += ", excluding \(time) during which the program was suspended"
            }
            verdicts.append(verdict)
            failure = nil
            let isNormalEnd = [.passed, .interrupted].contains(result.exitStatus)
            model.note(verdict, severity: isNormalEnd ? .info : .warning)
        case .failure(is CancellationError):
            model.note("\(run.arm.name) was stopped before its load began")
        case .failure(let error):
            failure = error
            model.note("\(run.arm.name) failed: \(error)", severity: .error)
            return false
        }
        return true
    }

    mutating func handle(_ event: InputEvent) -> Bool {
        for action in model.handle(event) {
            if action == .quit { return false }
            perform(action)
        }
        return true
    }

    /// Suspends the program, and pauses the load's clock so that no accesses are scheduled.
    mutating func suspend(_ terminal: any Terminal) {
        run.pause()
        // Wait for running accesses to complete. Otherwise, their times would include the
        // suspension.
        usleep(Self.stopDelay)
        let suspensionStart = MonotonicTime.now
        terminal.suspend()
        let seconds = Double(MonotonicTime.now - suspensionStart) / 1e9
        if !isLoadPaused { run.resume() }
        suspendedSeconds += seconds
        model.note(
            "suspended for \(HumanUnits.seconds(seconds)); the load's clock was paused"
        )
    }

    mutating func perform(_ step: ArmCycle.Step) {
        switch step {
        case .stay: break
        case .stop: run.stop()
        case .start(let index):
            run = LiveRun(
                scenario: scenario,
                arm: scenario.arms[index],
                datasets: datasets,
                database: database,
                onSample: onSample,
                recording: recording
            )
            for knob in knobs.values {
                do { try run.set(knob) } catch { model.note("\(error)", severity: .warning) }
            }
            suspendedSeconds = 0
            isLoadPaused = false
        }
    }
}
