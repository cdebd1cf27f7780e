import Scenarios
import Telemetry

/// A client of the scenario, prepared for a run.
///
/// The client's workers share the plan.
struct ClientPlan: Sendable {
    let client: Client
    let name: WorkloadClientName
    let operationNames: [String]
    let operations: [[StatementPlan]]
    /// The steps of each operation, or `nil` for an operation that only runs its statements.
    let steps: [[StepPlan]?]
    /// The reads that follow each write and run concurrently with the next writes.
    let thenRead: [StatementPlan]
    let accesses: [WorkloadAccess]
    let weights: [Double]
    let writes: [Bool]
    let settings: ClientSettings
    /// The client's accesses that other clients may interrupt, or `nil` if no client interrupts
    /// them.
    let interrupts: ClientInterrupts?
    /// The accesses that this client interrupts, or `nil` if it interrupts none.
    let interruptTarget: ClientInterrupts?
    /// The turns of this client and those with which it shares workers, or `nil` if it shares none.
    var turns: WorkerTurns?
    let tally = ActionTally()
    let windows: ActiveWindows
    /// The delay after which a late access is skipped, in nanoseconds.
    let skipAfter: UInt64?
    /// The arrivals that the client's workers share, if any.
    let arrivals: ArrivalQueue?
    /// The schedule of the client's arrivals, from which due arrivals are counted.
    let schedule: ArrivalSchedule?
    var declaredCurve: RateCurve { schedule?.curve ?? RateCurve() }
    /// The length of a hold or a snapshot, in nanoseconds.
    let holdTime: UInt64

    struct StatementPlan: Sendable {
        let sql: String
        /// The indices of the variables in ``RunPlan/generators``.
        let variables: [Int]
    }

    var access: WorkloadAccess? { client.access }

    var isTimed: Bool {
        switch client.activity {
        case .interrupt: false
        case .action(let action): action.isTimed
        default: true
        }
    }

    var isHoldNoteworthy: Bool { holdTime >= 500_000_000 }

    var makesOperations: Bool {
        if case .operations = client.activity { true } else { false }
    }

    /// Returns the target rate, in accesses/s, or `nil` if the client has no arrivals.
    func targetRate(at time: UInt64) -> Double? { arrivals?.curve.rate(at: time) }

    /// Returns the mean target rate before `end` in measured phases, in accesses/s, or `nil` if
    /// the client has no arrivals.
    func targetRate(over phases: PhasePlan, until end: UInt64) -> Double? {
        guard let curve = arrivals?.curve else { return nil }
        var mass = 0.0
        var time: UInt64 = 0
        for phase in phases.all where phase.isMeasured && phase.start < end {
            let last = min(phase.end, end)
            mass += curve.mass(until: last) - curve.mass(until: phase.start)
            time += last - phase.start
        }
        guard time > 0 else { return averageRate }
        return (mass / time.secondsFromNanoseconds).rounded(toDigits: 6)
    }

    /// The mean declared rate over the whole run, in accesses/s, or `nil` if the client has no
    /// arrivals.
    var averageRate: Double? {
        guard let curve = schedule?.curve, curve.end > 0 else { return nil }
        return curve.mass(until: UInt64(curve.end)) / (curve.end / 1e9)
    }
}

extension Client {
    /// The kind of the client's accesses, or `nil` if the client only interrupts other clients.
    package var access: WorkloadAccess? {
        switch activity {
        case .operations(let access, _): access
        case .hold: .read
        case .snapshot: .snapshot
        case .importRows: .write
        case .interrupt: nil
        case .action(let action): action.access
        }
    }

    /// Whether a time limit or the client's next access can interrupt or cancel an access.
    var canBeInterrupted: Bool { supersedes || interruptAfter != nil || cancelAfter != nil }

    /// Returns the reason an arm cannot run the client, or `nil` if it can.
    func obstacle(on target: any WorkloadTarget) -> String? {
        var accesses = access.map { [$0] } ?? []
        if case .operations(_, let mix) = activity { accesses += mix.compactMap(\.access) }
        if let missing = accesses.first(where: { !target.supports($0) }) {
            return "this arm has no \(missing.rawValue) accesses"
        }
        return capabilities.first { !target.has($0) }?.obstacle
    }

    private var capabilities: [WorkloadAbility] {
        var capabilities: [WorkloadAbility] = []
        switch activity {
        case .action(.checkpoint): capabilities.append(.writeAheadLog)
        case .action(.backup): capabilities.append(.backup)
        default: break
        }
        if !thenRead.isEmpty { capabilities.append(.concurrentReads) }
        switch style {
        case .sync: break
        case .async: capabilities.append(.tasks)
        case .process: capabilities.append(.sharedFile)
        }
        return capabilities
    }

    var activityName: String {
        switch activity {
        case .operations(.read, _): "read"
        case .operations(.snapshot, _): "snapshot"
        case .operations: "write"
        case .hold: "hold"
        case .snapshot: "snapshot"
        case .importRows: "import"
        case .interrupt: "interrupt"
        case .action(let action): action.name
        }
    }
}

/// A client's running accesses, which other clients may interrupt, and the outcomes of these
/// interrupts.
final class ClientInterrupts: Sendable {
    private struct State: Sendable {
        var running: [RunningAccess] = []
        var status = InterruptStatus()
        var latency = LatencyHistogram()
    }

    private let state = Lock(State())

    var status: InterruptStatus? {
        state.withLock { state in
            guard state.status.requested > 0 else { return nil }
            var status = state.status
            status.latency = state.latency.summary
            return status
        }
    }

    func add(_ access: RunningAccess) { state.withLock { $0.running.append(access) } }

    /// Removes an access that has ended.
    ///
    /// - Returns: Whether a requested interrupt ended the access.
    @discardableResult
    func remove(_ access: RunningAccess, wasInterrupted: Bool, at now: UInt64) -> Bool {
        let requestedAt = access.end()
        return state.withLock { state in
            state.running.removeAll { $0 === access }
            guard let requestedAt else { return false }
            if wasInterrupted {
                state.status.delivered += 1
                state.latency.count(now > requestedAt ? now - requestedAt : 0)
            } else {
                // The access was already ending.
                state.status.withoutEffect += 1
            }
            return wasInterrupted
        }
    }

    /// Interrupts an access.
    ///
    /// - Returns: Whether the access was still running.
    @discardableResult
    func interrupt(_ access: RunningAccess, at now: UInt64) -> Bool {
        access.request(at: now) { state.withLock { $0.status.requested += 1 } }
    }

    func interruptAll(but exception: RunningAccess? = nil, at now: UInt64) {
        let running = state.withLock { $0.running }
        var wasReceived = false
        for access in running where access !== exception {
            if interrupt(access, at: now) { wasReceived = true }
        }
        // Count the request even if no access received it.
        if exception == nil, !wasReceived {
            state.withLock { state in
                state.status.requested += 1
                state.status.withoutEffect += 1
            }
        }
    }
}

/// A tally that counts a client's checkpoints and backups.
final class ActionTally: Sendable {
    private struct State: Sendable {
        var checkpoints: CheckpointResult?
        var backupBytes: UInt64?
    }

    private let state = Lock(State())

    var checkpoints: CheckpointResult? { state.withLock { $0.checkpoints } }

    var backupBytes: UInt64? { state.withLock { $0.backupBytes } }

    func count(_ checkpoint: Checkpoint) {
        state.withLock { state in
            var result =
                state.checkpoints ?? CheckpointResult(count: 0, blocked: 0, frames: 0, copied: 0)
            result.count += 1
            if checkpoint.isBlocked { result.blocked += 1 }
            result.frames = checkpoint.frames
            result.copied = checkpoint.copied
            state.checkpoints = result
        }
    }

    func countBackup(bytes: UInt64) { state.withLock { $0.backupBytes = bytes } }
}

extension ClientPlan {
    /// A read that makes a transaction acquire its snapshot.
    private static let snapshotStatement = "SELECT count(*) FROM sqlite_master"

    /// Creates the plan of a client for a run.
    ///
    /// - Throws: `RunError` if the client uses an undefined variable or has no statement.
    init(
        _ client: Client,
        of scenario: Scenario,
        phases: PhasePlan,
        variables: inout VariableTable,
        interrupts: [String: ClientInterrupts] = [:]
    ) throws {
        self.client = client
        self.interrupts = interrupts[client.name]
        if case .action(.interrupt(client: let other)) = client.activity {
            interruptTarget = interrupts[other]
        } else {
            interruptTarget = nil
        }
        name = WorkloadClientName(client.name)
        var names: [String] = []
        var operations: [[StatementPlan]] = []
        var steps: [[StepPlan]?] = []
        var weights: [Double] = []
        var accesses: [WorkloadAccess] = []
        func add(
            _ name: String,
            _ source: [Step],
            weight: Double = 1,
            access: WorkloadAccess? = nil
        ) throws {
            let fetched = Set(source.flatMap(\.fetched)).sorted()
            variables.addFetched(fetched)
            defer { variables.removeFetched(fetched) }
            names.append(name)
            operations.append(
                try source.flatMap(\.statements).map { try variables.plan($0, client: client.name) }
            )
            steps.append(
                source.allSatisfy(\.isPlain)
                    ? nil : try variables.plan(source, client: client.name)
            )
            weights.append(weight)
            accesses.append(access ?? client.access ?? .writeWithoutTransaction)
        }
        var hold = TimeSpan.absolute(.zero)
        switch client.activity {
        case .operations(_, let mix):
            for operation in mix {
                try add(
                    operation.name,
                    operation.steps,
                    weight: operation.weight,
                    access: operation.access
                )
            }
        case .hold(let span, let sql):
            hold = span
            try add("hold", [.run(sql ?? Self.snapshotStatement)])
        case .snapshot(let span, let sql):
            hold = span
            let query = sql ?? scenario.dataset.snapshotQuery
            try add("snapshot", query.map { [.run($0)] } ?? [])
        case .importRows(_, _, let statement):
            guard let statement = statement ?? scenario.dataset.importStatement else {
                throw RunError(
                    .scenario,
                    "client '\(client.name)' imports rows but has no INSERT statement"
                )
            }
            try add("batch", [.run(statement)])
        case .interrupt:
            try add("interrupt", [])
        case .action(let action):
            try add(action.name, [])
        }
        operationNames = names
        self.operations = operations
        self.steps = steps
        thenRead = try client.thenRead.map { try variables.plan($0, client: client.name) }
        self.accesses = accesses
        self.weights = weights
        writes = accesses.map { $0 == .write || $0 == .writeWithoutTransaction }
        windows = ActiveWindows(phases: client.phases, of: phases)
        holdTime = hold.resolved(in: phases.measured).wholeNanoseconds
        settings = ClientSettings(
            ClientSettings.Values(
                workers: client.workers,
                cumulativeWeights: weights.reduce(into: []) { $0.append(($0.last ?? 0) + $1) },
                holdTime: holdTime
            )
        )
        skipAfter = client.pace.arrival?.skipAfter?.wholeNanoseconds
        schedule = client.schedule(seed: scenario.seed, phases: phases, windows: windows)
        arrivals = schedule.map { ArrivalQueue($0) }
    }
}

/// The parts of a run that depend on a client's pace.
///
/// `Worker.begin` also uses the pace, to skip late accesses.
extension ClientPlan {
    var loop: ClientResult.Loop {
        switch client.pace {
        case .closed: .closed
        case .open: .open
        case .at, .every: .scheduled
        }
    }

    /// Whether each worker starts an access as soon as its previous access ends.
    var keepsWorkersBusy: Bool { client.pace == .closed(think: .zero) }

    func makeLoadModel(_ plan: PhasePlan, random: RandomStream) -> any LoadModel {
        let measured = plan.measured
        switch client.pace {
        case .closed(let think):
            return ClosedLoop(think: think, end: plan.end, windows: windows, random: random)
        case .open:
            guard let arrivals else {
                return ClosedLoop(think: .constant(.zero), end: plan.end, random: nil)
            }
            return OpenLoop(queue: arrivals)
        case .at(let moment):
            let offset = moment.resolved(in: measured).wholeNanoseconds
            return OneShot(at: plan.time(intoMeasuredPart: offset))
        case .every(let period):
            return Periodic(
                every: period.resolved(in: measured).wholeNanoseconds,
                from: plan.time(intoMeasuredPart: 0),
                until: plan.end,
                windows: windows
            )
        }
    }
}

extension Client {
    func schedule(seed: UInt64, phases: PhasePlan, windows: ActiveWindows) -> ArrivalSchedule? {
        guard let arrival = pace.arrival else { return nil }
        return ArrivalSchedule(
            arrival.process,
            along: RateCurve(arrival, over: phases).only(in: windows),
            over: phases,
            random: RandomStream(seed: seed, stream: "\(name)/arrivals")
        )
    }
}

extension Client.Pace {
    var arrival: Arrival? {
        if case .open(let arrival) = self { arrival } else { nil }
    }
}

extension ClientAction {
    var name: String {
        switch self {
        case .interrupt, .interruptConnection: "interrupt"
        case .checkpoint: "checkpoint"
        case .backup: "backup"
        }
    }

    package var isTimed: Bool { access != nil }

    var access: WorkloadAccess? {
        switch self {
        case .interrupt, .interruptConnection: nil
        case .checkpoint: .writeWithoutTransaction
        case .backup: .read
        }
    }
}

extension Step {
    var isPlain: Bool {
        if case .run(_, let names) = self { names.isEmpty } else { false }
    }
}
