import CursesTerminal
import Dashboard
import Telemetry
import TerminalUI
import WorkloadEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The dashboard over runs of a scenario's arms.
struct RunDisplay: DisplayContent {
    /// Microseconds from holding the load back to stopping the program: nobody notices them.
    private static let stopDelay: UInt32 = 50_000

    /// The scenario, with the readers that somebody chose for its pools.
    var scenario: Scenario
    private let goesOn: Bool
    private let endsWithRun: Bool
    private let datasets: DatasetStore
    private let database: UserDatabase?
    let terminal: any Terminal
    var model: DashboardModel
    var cycle: ArmCycle
    var run: LiveRun
    /// The knobs that somebody turned, which stay so when the pool is rebuilt and in the next arm.
    var knobs: [LoadKnob.Place: LoadKnob] = [:]
    /// Whether somebody holds the load back.
    var isLoadPaused = false
    /// How long the program was stopped (^Z) during the arm that runs.
    private var stoppedSeconds = 0.0
    /// When the load was first seen to run.
    private var loadBegan: UInt64?
    /// What became of the arms that ran, one line each.
    private(set) var verdicts: [String] = []
    /// What the arms that ran gave, partial or not.
    private(set) var results: [ArmResult] = []
    /// What went wrong with the arm that ran last.
    private(set) var failure: (any Error)?

    init(
        scenario: Scenario,
        options: LiveOptions,
        model: DashboardModel,
        datasets: DatasetStore,
        terminal: any Terminal
    ) {
        self.scenario = scenario
        self.datasets = datasets
        database = options.database
        self.terminal = terminal
        self.model = model
        goesOn = options.goesOn
        endsWithRun = options.endsWithRun
        let first = scenario.arms.firstIndex { $0.name == options.arm } ?? 0
        cycle = ArmCycle(count: scenario.arms.count, current: first)
        run = LiveRun(
            scenario: scenario,
            arm: scenario.arms[first],
            datasets: datasets,
            database: options.database
        )
    }

    var refreshRate: Double { model.refreshRate }

    var isPaused: Bool { model.isPaused }

    var isOver: Bool { endsWithRun && cycle.isOver }

    /// The time since the load began; a run that failed before never comes to life.
    func age(at now: UInt64) -> UInt64? {
        guard let loadBegan else { return cycle.isOver ? .max : nil }
        return now - min(now, loadBegan)
    }

    mutating func setDisplayCost(_ share: Double?) { model.displayCPUShare = share }

    func render(size: Size) -> Surface { model.render(size: size) }

    mutating func noteContinued() {
        // What was due meanwhile is late now, and counts as late.
        model.note("the program was stopped while its load ran", severity: .warning)
    }

    /// Ends the run, waits a moment for its files to be gone, and takes in its result.
    mutating func end() {
        run.end(within: 5)
        let (_, outcome) = run.take()
        if let outcome { take(outcome) }
    }

    mutating func collect() {
        let (samples, outcome) = run.take()
        for sample in samples {
            model.ingest(sample)
            if loadBegan == nil, sample.state == .running { loadBegan = MonotonicTime.now }
        }
        guard let outcome else { return }
        let isAllWell = take(outcome)
        // An arm that failed is not left in a hurry: somebody has to read why.
        take(cycle.runEnded(goesOn: goesOn && isAllWell))
        if cycle.isOver {
            let next = scenario.arms[cycle.following].name
            model.note("finished: 'a' runs \(next), 'q' quits")
        }
    }

    /// Notes what a run gave; false when it failed.
    @discardableResult
    private mutating func take(_ outcome: LiveRun.Outcome) -> Bool {
        switch outcome {
        case .success(let result):
            results.append(result)
            var verdict = TextReport.verdict(of: result, scenario: scenario.name)
            if stoppedSeconds > 0 {
                let time = HumanUnits.seconds(stoppedSeconds)
                verdict += ", besides \(time) for which the program was stopped"
            }
            verdicts.append(verdict)
            failure = nil
            let isNews = [.passed, .interrupted].contains(result.exitStatus)
            model.note(verdict, severity: isNews ? .info : .warning)
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

    /// Stops the program and, so that nothing becomes due meanwhile, the load's time.
    mutating func stop(_ terminal: any Terminal) {
        run.pause()
        // Accesses that run end in peace: one that is stopped with the program takes that long.
        usleep(Self.stopDelay)
        let before = MonotonicTime.now
        terminal.stop()
        let seconds = Double(MonotonicTime.now - before) / 1e9
        if !isLoadPaused { run.resume() }
        stoppedSeconds += seconds
        model.note(
            "stopped for \(HumanUnits.seconds(seconds)): the load's time stood still meanwhile"
        )
    }

    /// Does what the order of the arms asks for.
    mutating func take(_ step: ArmCycle.Step) {
        switch step {
        case .stay: break
        case .stop: run.stop()
        case .start(let index):
            run = LiveRun(
                scenario: scenario,
                arm: scenario.arms[index],
                datasets: datasets,
                database: database
            )
            for knob in knobs.values {
                do { try run.set(knob) } catch { model.note("\(error)", severity: .warning) }
            }
            stoppedSeconds = 0
            isLoadPaused = false
        }
    }
}
