import Isolation
import Telemetry

/// An object that runs transactions alongside the load and checks that the database isolates them.
///
/// The transactions run in rounds. In a round, all sessions concurrently run a few transactions on
/// lists and registers that no other round uses. One session then reads all objects, and the watch
/// checks the round's history. To limit memory and the size of the table, the watch then discards
/// the history and the rows. Between rounds, the sessions pause long enough to respect
/// ``connectionShare`` and ``roundShare``.
final class IsolationWatch: Sendable {
    /// The maximum share of one connection's time that the sessions use.
    private static let connectionShare = 0.02
    /// The maximum share of the run's time that rounds take.
    ///
    /// If the load saturates the database, sessions wait for connections much longer than they hold
    /// connections. These waits also delay the load.
    private static let roundShare = 0.05
    /// The time in a round during which sessions start transactions, in nanoseconds.
    private static let transactionStartWindow: UInt64 = 100_000_000
    /// The minimum pause between two rounds, in nanoseconds.
    private static let shortestPause: UInt64 = 50_000_000
    private static let transactionsPerRound = 6
    /// The maximum number of attempts to read all objects at the end of a round.
    ///
    /// The end of the run may interrupt a read.
    private static let attempts = 3
    static let client = WorkloadClientName(uncounted: "isolation")

    private struct State {
        /// The number of the current round, or -1 before the first round.
        var round = -1
        /// The clock time at which sessions stop starting transactions.
        var roundEnd: UInt64 = 0
        var workingSessionCount = 0
        var isOver = false
        var findings = IsolationFindings()
    }

    private let target: any WorkloadTarget
    private let sessions: [IsolationSession]
    private let recorder: HistoryRecorder
    private let costs: IsolationCosts
    private let clock: any RunClock
    private let sleepers: [any Sleeper]
    private let conductor: any Sleeper
    private let state = Lock(State())

    /// Creates a watch, its sessions, and its table in the database.
    ///
    /// `remoteTarget` accesses the same database from another process, or is `nil`.
    ///
    /// - Throws: The library's error if the table cannot be created.
    init(
        on target: any WorkloadTarget,
        remoteTarget: (any WorkloadTarget)?,
        seed: UInt64,
        clock: any RunClock
    ) throws {
        // Create the table before the sleepers. If the table cannot be created, no sleepers remain
        // without a thread.
        try target.perform(.write, as: Self.client) { session in
            try ObjectTable.invariant.create(in: IsolationStore(session))
        }
        self.target = target
        self.clock = clock
        let recorder = HistoryRecorder { clock.now() }
        let costs = IsolationCosts(clock: clock)
        let values = UniqueValues()
        func makeSession(
            _ name: String,
            _ role: IsolationSession.Role,
            _ target: any WorkloadTarget
        ) -> IsolationSession {
            IsolationSession(
                name: name,
                role: role,
                target: target,
                client: Self.client,
                recorder: recorder,
                costs: costs,
                script: TransactionScript(
                    on: .invariant,
                    random: RandomStream(seed: seed, stream: "isolation/\(name)"),
                    values: values
                )
            )
        }
        var sessions: [IsolationSession] = []
        for role in IsolationSession.Role.allCases where role.isPossible(on: target) {
            let isDouble = role == .writer || role == .reader
            for number in 1...(isDouble ? 2 : 1) {
                let name = isDouble ? "\(role.rawValue)-\(number)" : role.rawValue
                sessions.append(makeSession(name, role, target))
            }
        }
        if let remoteTarget { sessions.append(makeSession("process", .process, remoteTarget)) }
        self.sessions = sessions
        self.recorder = recorder
        self.costs = costs
        sleepers = sessions.map { _ in clock.makeSleeper() }
        conductor = clock.makeSleeper()
    }

    /// Creates a watch if the scenario checks isolation.
    ///
    /// The invariant uses another process only if the scenario does, because a second process
    /// affects the measurements of the load.
    ///
    /// - Returns: The watch, or the error that prevented its creation. Returns `nil` if the scenario does
    ///   not check isolation or the arm does not support writes.
    static func make(
        for scenario: Scenario,
        on target: any WorkloadTarget,
        processes: ClientProcesses?,
        clock: any RunClock
    ) -> Result<IsolationWatch, any Error>? {
        guard scenario.invariants.contains(Invariant.isolation.rawValue), target.supports(.write)
        else { return nil }
        return Result {
            try IsolationWatch(
                on: target,
                remoteTarget: try processes?.target(of: client.name, worker: 0),
                seed: scenario.seed,
                clock: clock
            )
        }
    }

    func result(_ name: String) -> InvariantResult {
        state.withLock { $0.findings }
            .result(name, sessions: sessions.map(\.name), failure: costs.firstFailure)
    }

    /// Drops the table.
    ///
    /// Call this method after the threads have ended.
    func close(noting events: EventLog) {
        do {
            try target.perform(.write, as: Self.client) { session in
                try ObjectTable.invariant.drop(in: IsolationStore(session))
            }
        } catch {
            events.note("cannot drop the table \(ObjectTable.invariant.name): \(error)", .warning)
        }
    }

    // MARK: Threads

    /// Returns the threads that the load must run, each with its sleeper.
    ///
    /// Each session has a thread. An additional thread runs the rounds.
    func threads(_ context: RunContext) -> [(sleeper: any Sleeper, body: () -> Void)] {
        let workers = zip(sessions, sleepers).map { session, sleeper in
            (sleeper: sleeper, body: { self.work(session, sleeper, context.control) })
        }
        return workers + [(conductor, { self.conduct(context) })]
    }

    private func work(_ session: IsolationSession, _ sleeper: any Sleeper, _ control: RunControl) {
        var done = -1
        while true {
            let (round, end, isOver) = state.withLock { ($0.round, $0.roundEnd, $0.isOver) }
            if round == done {
                if isOver { return }
                sleeper.sleep(until: .max)
                continue
            }
            session.begin(round: round)
            for _ in 0..<Self.transactionsPerRound
            where control.stage < .stopped && clock.now() < end { session.runTransaction() }
            done = round
            let isLast = state.withLock { state in
                state.workingSessionCount -= 1
                return state.workingSessionCount == 0
            }
            if isLast { conductor.wake() }
        }
    }

    private func conduct(_ context: RunContext) {
        let control = context.control
        var isViolated = false
        while control.stage < .stopped, control.now() < context.phases.end {
            guard control.stage == .running else {
                conductor.sleep(until: .max)
                continue
            }
            let start = clock.now()
            let held = runRound()
            let duration = clock.now() &- start
            if !isViolated, let example = state.withLock({ $0.findings.descriptions.first }) {
                isViolated = true
                context.events.note("isolation violated: \(example)", .error)
            }
            pause(
                for: max(
                    Self.pause(after: held, Self.connectionShare),
                    Self.pause(after: duration, Self.roundShare)
                ),
                control,
                until: context.phases.end
            )
        }
        state.withLock { $0.isOver = true }
        for sleeper in sleepers { sleeper.wake() }
    }

    /// Runs one round and checks its history.
    ///
    /// - Returns: The total hold time of the round, in nanoseconds.
    private func runRound() -> UInt64 {
        let round = state.withLock { state in
            state.round += 1
            state.workingSessionCount = sessions.count
            state.roundEnd = clock.now() &+ Self.transactionStartWindow
            return state.round
        }
        for sleeper in sleepers { sleeper.wake() }
        while state.withLock({ $0.workingSessionCount > 0 }) { conductor.sleep(until: .max) }
        if let session = sessions.first(where: { $0.name == "reader-1" }) {
            _ = (0..<Self.attempts).contains { _ in session.readAllObjects(ofRound: round) }
            session.clear()
        }
        let history = recorder.history
        recorder.removeAll()
        let anomalies = IsolationCheck().anomalies(of: history)
        state.withLock { $0.findings.add(history, anomalies) }
        return costs.takeHeldTime()
    }

    /// Returns how long to pause so that `time` is at most `share` of the sum of `time` and the
    /// pause.
    private static func pause(after time: UInt64, _ share: Double) -> UInt64 {
        UInt64(Double(time) * (1 / share - 1))
    }

    private func pause(for length: UInt64, _ control: RunControl, until end: UInt64) {
        let deadline = clock.now() &+ max(Self.shortestPause, length)
        while control.stage < .stopped, clock.now() < min(deadline, control.clockTime(of: end)) {
            conductor.sleep(until: min(deadline, control.clockTime(of: end)))
        }
    }
}
