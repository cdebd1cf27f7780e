/// A client of the scenario, made ready to run: all that its workers share.
struct ClientPlan: Sendable {
    /// The client as the scenario tells it.
    let client: Client
    /// Its name, as targets take it.
    let name: WorkloadClientName
    /// The names of its operations, in the order of their indices.
    let operationNames: [String]
    /// The statements of each operation.
    let operations: [[StatementPlan]]
    /// The steps of each operation; nil for one that just runs its statements.
    let steps: [[StepPlan]?]
    /// What is read of each write, beside the next ones.
    let thenRead: [StatementPlan]
    /// The kind of access of each operation.
    let accesses: [WorkloadAccess]
    /// The weight of each operation.
    let weights: [Double]
    /// Whether each operation writes.
    let writes: [Bool]
    /// What can be turned of it while the load runs.
    let knobs: ClientKnobs
    /// Its accesses that others may interrupt; nil where nobody does.
    let interrupts: ClientInterrupts?
    /// The accesses that it interrupts itself; nil where it does not.
    let aim: ClientInterrupts?
    /// What its checkpoints and backups came to.
    let tally = ActionTally()
    /// When it is at work.
    let windows: ActiveWindows
    /// How late an access may be before it is given up, in nanoseconds.
    let skipAfter: UInt64?
    /// The arrivals that all its workers share; nil where each worker has its own pace.
    let arrivals: ArrivalQueue?
    /// The same arrivals, to see how many are due.
    let schedule: ArrivalSchedule?
    /// The rate of arrivals as the scenario says.
    var declaredCurve: RateCurve { schedule?.curve ?? RateCurve() }
    /// How long a hold or a snapshot lasts, in nanoseconds.
    let holdTime: UInt64

    /// One statement: its text, and the variables of its parameters in their order.
    struct StatementPlan: Sendable {
        /// Its text.
        let sql: String
        /// The indices of its variables in the run's list.
        let variables: [Int]
    }

    /// The kind of access that it asks for; nil for those that ask for none.
    var access: WorkloadAccess? { client.access }

    /// Whether its completed accesses have latencies that mean something.
    var isTimed: Bool {
        switch client.activity {
        case .interrupt: false
        case .action(let action): action.isTimed
        default: true
        }
    }

    /// Whether one hold is long enough for a line in the ticker.
    var isHoldNoteworthy: Bool { holdTime >= 500_000_000 }

    /// How its accesses are timed.
    var loop: ClientResult.Loop {
        switch client.pace {
        case .closed: .closed
        case .open: .open
        case .at, .every: .scheduled
        }
    }

    /// Whether it makes accesses of a mix, and nothing of its own.
    var makesOperations: Bool {
        if case .operations = client.activity { true } else { false }
    }

    /// How many accesses it aims at per second now; nil without a schedule of arrivals.
    func targetRate(at time: UInt64) -> Double? { arrivals?.curve.rate(at: time) }

    /// How many accesses it aims at per second, on average over the measured phases up to a time;
    /// nil without a schedule of arrivals.
    func targetRate(over phases: PhasePlan, until end: UInt64) -> Double? {
        guard let curve = arrivals?.curve else { return nil }
        var mass = 0.0
        var time: UInt64 = 0
        for stretch in phases.stretches where stretch.isMeasured && stretch.start < end {
            let last = min(stretch.end, end)
            mass += curve.mass(until: last) - curve.mass(until: stretch.start)
            time += last - stretch.start
        }
        guard time > 0 else { return averageRate }
        return (mass / time.secondsFromNanoseconds).rounded(toDigits: 6)
    }

    /// The scenario's own rate, on average over the whole run; nil without a schedule of arrivals.
    var averageRate: Double? {
        guard let curve = schedule?.curve, curve.end > 0 else { return nil }
        return curve.mass(until: UInt64(curve.end)) / (curve.end / 1e9)
    }

    /// Makes the pace of one of its workers, with random numbers of its own.
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
    /// The kind of access that it asks for; nil for an interrupt.
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

    /// Why an arm cannot run it; nil when it can.
    func obstacle(on target: any WorkloadTarget) -> String? {
        var accesses = access.map { [$0] } ?? []
        if case .operations(_, let mix) = activity { accesses += mix.compactMap(\.access) }
        if let missing = accesses.first(where: { !target.supports($0) }) {
            return "this arm has no \(missing.rawValue) accesses"
        }
        return abilities.first { !target.has($0) }?.obstacle
    }

    /// What it needs beside its accesses.
    private var abilities: [WorkloadAbility] {
        var abilities: [WorkloadAbility] = []
        switch activity {
        case .action(.checkpoint): abilities.append(.writeAheadLog)
        case .action(.backup): abilities.append(.backup)
        default: break
        }
        if !thenRead.isEmpty { abilities.append(.concurrentReads) }
        switch style {
        case .sync: break
        case .async: abilities.append(.tasks)
        case .process: abilities.append(.sharedFile)
        }
        return abilities
    }

    /// What it does, in a word, for a status.
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
