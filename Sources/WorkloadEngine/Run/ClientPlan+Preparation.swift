extension ClientPlan {
    /// A read that makes a transaction acquire its snapshot.
    private static let snapshotStatement = "SELECT count(*) FROM sqlite_master"

    /// Creates the plan of a client for a run.
    ///
    /// - Throws: ``RunError`` if the client uses an undefined variable or has no statement.
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
        knobs = ClientKnobs(
            ClientKnobs.Settings(
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
