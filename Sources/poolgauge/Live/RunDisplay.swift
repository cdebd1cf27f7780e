import CursesTerminal
import Dashboard
import Reports
import Scenarios
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
    var settings: [LoadSetting.Key: LoadSetting] = [:]
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
            if loadStart == nil, sample.state == .running { loadStart = monotonicNanoseconds() }
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
        let suspensionStart = monotonicNanoseconds()
        terminal.suspend()
        let seconds = Double(monotonicNanoseconds() - suspensionStart) / 1e9
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
            for setting in settings.values {
                do { try run.set(setting) } catch { model.note("\(error)", severity: .warning) }
            }
            suspendedSeconds = 0
            isLoadPaused = false
        }
    }
}

/// A state machine that cycles through the arms in the scenario's order.
struct ArmCycle: Equatable {
    enum Step: Equatable {
        case stay
        /// End the arm's run.
        case stop
        /// Start a run of the arm at this index.
        case start(Int)
    }

    private enum Phase: Equatable {
        case running
        case stopping(next: Int)
        case over
    }

    let count: Int
    /// The index of the running arm or, if no arm is running, of the arm that ran last.
    private(set) var current: Int
    private var phase = Phase.running

    init(count: Int, current: Int) {
        self.count = count
        self.current = current
    }

    var isOver: Bool { phase == .over }

    /// The index of the arm after the current one.
    var nextArm: Int { (current + 1) % count }

    /// Requests the next arm.
    ///
    /// While an arm's run is ending, each additional request skips an arm.
    mutating func advance() -> Step {
        switch phase {
        case .running:
            phase = .stopping(next: nextArm)
            return .stop
        case .stopping(let next):
            phase = .stopping(next: (next + 1) % count)
            return .stay
        case .over:
            return start(nextArm)
        }
    }

    /// Restarts the running arm or, if no arm is running, the arm that ran last.
    mutating func restart() -> Step {
        switch phase {
        case .running:
            phase = .stopping(next: current)
            return .stop
        case .stopping: return .stay
        case .over: return start(current)
        }
    }

    /// Records that the arm's run was completed or stopped.
    ///
    /// - Parameter startsNext: Whether the next arm starts automatically.
    /// - Returns: The next step.
    mutating func recordRunEnd(startsNext: Bool) -> Step {
        if case .stopping(let next) = phase { return start(next) }
        if startsNext { return start(nextArm) }
        phase = .over
        return .stay
    }

    private mutating func start(_ index: Int) -> Step {
        current = index
        phase = .running
        return .start(index)
    }
}

extension RunDisplay {
    /// Performs an action of the dashboard and shows the result in the ticker.
    mutating func perform(_ action: DashboardAction) {
        switch action {
        case .quit, .setRefreshRate: break
        case .nextArm: perform(cycle.advance())
        case .toggleRecording: recording.toggle()
        case .interrupt(connection: let label?):
            if !run.interrupt(connection: label) {
                model.note("\(label) cannot be interrupted: it is not open", severity: .warning)
            }
        case .interrupt(connection: nil): run.interrupt()
        case .checkpoint(let mode): run.checkpoint(CheckpointMode(mode))
        case .makeSnapshot: run.makeSnapshot()
        case .releaseSnapshot(let label): run.releaseSnapshot(label: label)
        case .setLoadPaused(let isPaused): setLoadPaused(isPaused)
        case .setReaderCount(let count): setReaderCount(count)
        case .changeSetting(let setting): setSetting(setting)
        case .copy(let text):
            if !terminal.copy(text) {
                model.note("this terminal does not allow clipboard access", severity: .warning)
            }
        }
    }

    /// Changes a setting for this run and later runs.
    private mutating func setSetting(_ setting: LoadSetting) {
        do {
            try run.set(setting)
            settings[setting.key] = setting
            model.note("you set \(setting.changeDescription)")
        } catch {
            model.note("\(error)", severity: .warning)
        }
    }

    private mutating func setLoadPaused(_ isPaused: Bool) {
        // The model contains the state as of the newest sample, which may be a tenth of a second
        // old. If the request matches the current state, the user has pressed the key twice since
        // that sample.
        isLoadPaused = isPaused == isLoadPaused ? !isPaused : isPaused
        if isLoadPaused {
            run.pause()
            model.note("load paused: running accesses continue, new accesses do not start")
        } else {
            run.resume()
            model.note("load resumed")
        }
    }

    /// Restarts the arm's run with a new pool, because the size of an open pool is fixed.
    private mutating func setReaderCount(_ count: Int) {
        let arm = scenario.arms[cycle.current]
        guard arm.kind == .pool else {
            model.note("\(arm.name) has a single connection and no readers", severity: .warning)
            return
        }
        guard (1...1000).contains(count), count != arm.readers else { return }
        scenario.arms[cycle.current].readers = count
        let readers = count == 1 ? "reader" : "readers"
        model.note("the pool is rebuilt with \(count) \(readers): the run restarts")
        perform(cycle.restart())
    }
}

extension LoadSetting {
    /// A setting, regardless of its value.
    ///
    /// Only the newest value of each setting applies.
    enum Key: Hashable {
        case workers(String)
        case rate(String)
        case rateFactor
        case writeShare
        case holdTime(String)
    }

    var key: Key {
        switch self {
        case .workers(let client, _): .workers(client)
        case .rate(let client, _): .rate(client)
        case .rateFactor: .rateFactor
        case .writeShare: .writeShare
        case .holdTime(let client, _): .holdTime(client)
        }
    }

    /// A description of the new value, for the ticker.
    ///
    /// `nil` represents the scenario's value.
    var changeDescription: String {
        let defaultText = "the scenario's value"
        switch self {
        case .workers(let client, let count):
            return "\(client) to " + HumanUnits.counted(count, "worker", "workers")
        case .rate(let client, let rate):
            return "\(client) to \(rate.map(HumanUnits.rate) ?? defaultText)"
        case .rateFactor(let factor):
            return "all rates to \(HumanUnits.percent(factor))"
        case .writeShare(let share):
            return "the write share to \(share.map(HumanUnits.percent) ?? defaultText)"
        case .holdTime(let client, let seconds):
            let time = seconds.map {
                HumanUnits.duration(nanoseconds: UInt64(min(max($0, 0), 1e9) * 1e9))
            }
            return "the hold time of \(client) to \(time ?? defaultText)"
        }
    }
}

extension CheckpointMode {
    fileprivate init(_ mode: DashboardAction.CheckpointMode) {
        switch mode {
        case .passive: self = .passive
        case .full: self = .full
        case .restart: self = .restart
        case .truncate: self = .truncate
        }
    }
}
