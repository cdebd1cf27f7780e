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
    }

    /// Nanoseconds from frame to frame.
    private static let frame: UInt64 = 100_000_000

    /// Microseconds from holding the load back to stopping the program: nobody notices them.
    private static let stopDelay: UInt32 = 50_000

    private let scenario: Scenario
    private let goesOn: Bool
    private let datasets: DatasetStore
    private let terminal: any Terminal
    private var model: DashboardModel
    private var cycle: ArmCycle
    private var keys: KeyPlan
    private var run: LiveRun
    private var cost = DisplayCost()
    /// How long the program was stopped (^Z) during the arm that runs.
    private var stoppedSeconds = 0.0
    /// When the load was first seen to run.
    private var loadBegan: UInt64?
    /// What became of the arms that ran to their end, one line each.
    private(set) var verdicts: [String] = []
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
            let now = MonotonicTime.now
            if let end = pressPlannedKeys(at: now) { return end }
            if now >= nextFrame {
                cost.update(now: now)
                model.displayCPUShare = cost.share
                terminal.draw(model.render(size: terminal.size))
                // A terminal that was stopped for a while is owed no frames.
                nextFrame = max(nextFrame + Self.frame, now)
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

    /// Ends the run, and waits a moment for its files to be gone.
    func end() { run.end(within: 5) }

    private mutating func collect() {
        let (samples, outcome) = run.take()
        for sample in samples {
            model.ingest(sample)
            if loadBegan == nil, sample.state == .running { loadBegan = MonotonicTime.now }
        }
        guard let outcome else { return }
        var isAllWell = true
        switch outcome {
        case .success(let result) where result.partial:
            model.note("\(run.arm.name) was stopped")
        case .success(let result):
            var verdict = TextReport.verdict(of: result, scenario: scenario.name)
            if stoppedSeconds > 0 {
                let time = HumanUnits.seconds(stoppedSeconds)
                verdict += ", besides \(time) for which the program was stopped"
            }
            verdicts.append(verdict)
            failure = nil
            model.note(verdict, severity: result.exitStatus == .passed ? .info : .warning)
        case .failure(is CancellationError):
            model.note("\(run.arm.name) was stopped before its load began")
        case .failure(let error):
            isAllWell = false
            failure = error
            model.note("\(run.arm.name) failed: \(error)", severity: .error)
        }
        // An arm that failed is not left in a hurry: somebody has to read why.
        take(cycle.runEnded(goesOn: goesOn && isAllWell))
        if cycle.isOver {
            let next = scenario.arms[cycle.following].name
            model.note("finished: 'a' runs \(next), 'q' quits")
        }
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
                terminal.draw(model.render(size: terminal.size))
                return .picture
            }
        }
    }

    private mutating func handle(_ event: InputEvent) -> End? {
        for action in model.handle(event) {
            switch action {
            case .quit: return .quit
            case .nextArm: take(cycle.advance())
            case .interrupt(connection: nil): run.interrupt()
            case .makeSnapshot: run.makeSnapshot()
            case .releaseSnapshot(label: nil): run.releaseSnapshot()
            default: model.note("this run has no way to do that", severity: .warning)
            }
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
        run.resume()
        stoppedSeconds += seconds
        model.note(
            "stopped for \(HumanUnits.seconds(seconds)): the load's time stood still meanwhile"
        )
    }

    private mutating func take(_ step: ArmCycle.Step) {
        switch step {
        case .stay: break
        case .stop: run.stop()
        case .start(let index):
            run = LiveRun(scenario: scenario, arm: scenario.arms[index], datasets: datasets)
            stoppedSeconds = 0
        }
    }
}
