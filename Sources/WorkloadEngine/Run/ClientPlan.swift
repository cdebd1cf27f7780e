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
    let knobs: ClientKnobs
    /// The client's accesses that other clients may interrupt, or `nil` if no client interrupts
    /// them.
    let interrupts: ClientInterrupts?
    /// The accesses that this client interrupts, or `nil` if it interrupts none.
    let interruptTarget: ClientInterrupts?
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
