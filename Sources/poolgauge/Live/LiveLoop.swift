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

/// The dashboard over runs of a scenario's arms: keys in, frames out, ten times a second.
struct LiveLoop {
    /// Why the loop ended.
    enum End: Equatable {
        /// Somebody pressed the key for it.
        case quit
        /// A signal.
        case signal(Int32)
        /// The picture was taken.
        case picture
        /// The arm has run to its end, and nobody wanted more.
        case over
    }

    /// Microseconds from holding the load back to stopping the program: nobody notices them.
    private static let stopDelay: UInt32 = 50_000

    /// The scenario, with the readers that somebody chose for its pools.
    var scenario: Scenario
    private let goesOn: Bool
    private let endsWithRun: Bool
    private let datasets: DatasetStore
    let terminal: any Terminal
    var model: DashboardModel
    var cycle: ArmCycle
    private var keys: KeyPlan
    var run: LiveRun
    /// What the display used.
    private(set) var cost = DisplayCost()
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
        self.terminal = terminal
        self.model = model
        goesOn = options.goesOn
        endsWithRun = options.endsWithRun
        let first = scenario.arms.firstIndex { $0.name == options.arm } ?? 0
        cycle = ArmCycle(count: scenario.arms.count, current: first)
        keys = KeyPlan(
            keys: options.keys,
            start: options.keysStart,
            takesPicture: options.takesPicture
        )
        run = LiveRun(scenario: scenario, arm: scenario.arms[first], datasets: datasets)
    }

    /// Shows the runs until somebody wants no more.
    mutating func show() -> End {
        _ = model.handle(.resize(terminal.size))
        var nextFrame = MonotonicTime.now
        while true {
            collect()
            if endsWithRun, cycle.isOver { return .over }
            let now = MonotonicTime.now
            if let end = pressPlannedKeys(at: now) { return end }
            if now >= nextFrame {
                cost.update(now: now)
                model.displayCPUShare = cost.share
                draw()
                // A terminal that was stopped for a while is owed no frames.
                nextFrame = max(nextFrame + frameTime, now)
            }
            let wait = nextFrame > now ? nextFrame - now : 0
            var event = terminal.nextEvent(waitingAtMost: wait)
            while let current = event {
                switch current {
                case .end(let signal):
                    return .signal(signal)
                case .stop:
                    stop()
                    nextFrame = MonotonicTime.now
                case .continued:
                    // What was due meanwhile is late now, and counts as late.
                    model.note(
                        "the program was stopped while its load ran",
                        severity: .warning
                    )
                case .input(let input):
                    if let end = handle(input) { return end }
                    // An answer to a key is not kept waiting for the next frame.
                    nextFrame = min(nextFrame, MonotonicTime.now)
                }
                event = terminal.nextEvent(waitingAtMost: 0)
            }
        }
    }

    /// Ends the run, waits a moment for its files to be gone, and takes in what it gave.
    mutating func end() {
        run.end(within: 5)
        cost.end(bytes: terminal.bytesWritten)
        let (_, outcome) = run.take()
        if let outcome { take(outcome) }
    }

    /// Nanoseconds from frame to frame.
    private var frameTime: UInt64 { UInt64(1e9 / max(model.refreshRate, 0.1)) }

    private mutating func draw() {
        let before = MonotonicTime.now
        terminal.draw(model.render(size: terminal.size))
        cost.countFrame(nanoseconds: MonotonicTime.now - before)
    }

    private mutating func collect() {
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

    private mutating func pressPlannedKeys(at now: UInt64) -> End? {
        guard let loadBegan else {
            // A run that failed before its load began gets its picture too.
            return cycle.isOver && keys.step(at: .max) == .picture ? .picture : nil
        }
        while true {
            switch keys.step(at: now - loadBegan) {
            case .nothing: return nil
            case .press(let key): if let end = handle(.key(key)) { return end }
            case .picture:
                draw()
                return .picture
            }
        }
    }

    private mutating func handle(_ event: InputEvent) -> End? {
        for action in model.handle(event) {
            if action == .quit { return .quit }
            perform(action)
        }
        return nil
    }

    /// Stops the program and, so that nothing becomes due meanwhile, the load's time.
    private mutating func stop() {
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
            run = LiveRun(scenario: scenario, arm: scenario.arms[index], datasets: datasets)
            for knob in knobs.values {
                do { try run.set(knob) } catch { model.note("\(error)", severity: .warning) }
            }
            stoppedSeconds = 0
            isLoadPaused = false
        }
    }
}
