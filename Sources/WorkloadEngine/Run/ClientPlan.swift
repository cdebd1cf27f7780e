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
    /// The sums of the weights up to each operation.
    let cumulativeWeights: [Double]
    /// How late an access may be before it is given up, in nanoseconds.
    let skipAfter: UInt64?
    /// The arrivals that all its workers share; nil where each worker has its own pace.
    let arrivals: ArrivalQueue?
    /// The same arrivals, to see how many are due.
    let schedule: ArrivalSchedule?
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
    var isTimed: Bool { client.activity != .interrupt }

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

    /// How many accesses it aims at per second; nil without a schedule of arrivals.
    var targetRate: Double? {
        if case .open(let arrival) = client.pace { arrival.rate } else { nil }
    }

    /// Draws an operation: each as often as its weight says.
    @inline(__always)
    func draw(_ random: inout RandomStream) -> Int {
        guard cumulativeWeights.count > 1, let total = cumulativeWeights.last else { return 0 }
        let point = random.nextUnit() * total
        return cumulativeWeights.firstIndex { point < $0 } ?? cumulativeWeights.count - 1
    }

    /// Makes the pace of one of its workers.
    func makeLoadModel(_ plan: PhasePlan) -> any LoadModel {
        let measured = plan.measured
        switch client.pace {
        case .closed(let think):
            return ClosedLoop(think: think.wholeNanoseconds, end: plan.end)
        case .open:
            guard let arrivals else { return ClosedLoop(think: 0, end: plan.end) }
            return OpenLoop(queue: arrivals)
        case .at(let moment):
            let offset = moment.resolved(in: measured).wholeNanoseconds
            return OneShot(at: plan.time(intoMeasuredPart: offset))
        case .every(let period):
            return Periodic(
                every: period.resolved(in: measured).wholeNanoseconds,
                from: plan.time(intoMeasuredPart: 0),
                until: plan.end
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
        }
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
        }
    }
}
