/// A scenario prepared for one arm, with the clients that can run and the clients that cannot.
struct RunPlan: Sendable {
    let phases: PhasePlan
    let clients: [ClientPlan]
    let unsupported: [String: String]
    let generators: [ValueGenerator]
    private let seed: UInt64

    /// Prepares a scenario for an arm's database.
    ///
    /// - Throws: ``RunError`` if a client or a variable of the scenario is invalid.
    init(
        _ scenario: Scenario,
        on target: any WorkloadTarget,
        startsProcesses: Bool = false
    ) throws {
        phases = PhasePlan(scenario)
        seed = scenario.seed
        var variables = VariableTable(try scenario.resolvingColumns(on: target))
        var clients: [ClientPlan] = []
        var unsupported: [String: String] = [:]
        let interrupts = Self.interrupts(of: scenario.clients)
        for client in scenario.clients {
            if let reason = client.obstacle(on: target) {
                unsupported[client.name] = reason
                continue
            }
            if client.style == .process, !startsProcesses {
                unsupported[client.name] = "this program cannot start other processes"
                continue
            }
            clients.append(
                try ClientPlan(
                    client,
                    of: scenario,
                    phases: phases,
                    variables: &variables,
                    interrupts: interrupts
                )
            )
        }
        self.clients = clients
        self.unsupported = unsupported
        generators = variables.generators
    }

    /// Returns the accesses to track for interrupts, keyed by client name.
    private static func interrupts(of clients: [Client]) -> [String: ClientInterrupts] {
        var interrupts: [String: ClientInterrupts] = [:]
        for client in clients {
            if client.supersedes || client.interruptAfter != nil || client.cancelAfter != nil {
                interrupts[client.name] = interrupts[client.name] ?? ClientInterrupts()
            }
            if case .action(.interrupt(client: let other)) = client.activity {
                interrupts[other] = interrupts[other] ?? ClientInterrupts()
            }
        }
        return interrupts
    }

    var needsAlarm: Bool {
        clients.contains { $0.interrupts != nil || $0.client.style == .async }
    }

    /// Checks that the database can prepare every statement before any statement runs.
    ///
    /// If a client changes the schema, the check covers only the use of transactions.
    ///
    /// - Throws: ``RunError`` for the first invalid statement, with its position in the file.
    func checkStatements(of scenario: Scenario, on target: any WorkloadTarget) throws {
        let statements = clients.flatMap { client in
            (client.operations.joined() + client.thenRead)
                .map { (client: client.name.name, sql: $0.sql) }
        }
        for (client, problem, sql) in transactionProblems {
            let place = scenario.statementPlaces[sql]
            let issue = ScenarioError.Issue(
                file: scenario.file,
                line: place?.line,
                column: place?.column,
                message: "client '\(client)': \(problem)"
            )
            throw RunError(.scenario, issue.description)
        }
        let schemaVerbs: Set = ["ALTER", "ATTACH", "CREATE", "DETACH", "DROP"]
        guard
            !statements.contains(where: {
                schemaVerbs.contains(StatementTemplate(sql: $0.sql).verb)
            })
        else { return }
        for statement in statements {
            do {
                try target.check(statement.sql)
            } catch {
                let place = scenario.statementPlaces[statement.sql]
                let issue = ScenarioError.Issue(
                    file: scenario.file,
                    line: place?.line,
                    column: place?.column,
                    message: "client '\(statement.client)': '\(statement.sql)' cannot be prepared"
                )
                throw RunError(.scenario, issue.description, cause: error)
            }
        }
    }

    /// The statements that start or end a transaction inside another transaction.
    var transactionProblems: [(client: String, problem: String, sql: String)] {
        clients.flatMap { client in
            let reads = client.thenRead.map { ($0.sql, WorkloadAccess.read) }
            let mixed = zip(client.operations, client.accesses).flatMap { statements, access in
                statements.map { ($0.sql, access) }
            }
            return (mixed + reads).compactMap { sql, access in
                TransactionControl.problem(with: sql, in: access)
                    .map { (client: client.name.name, problem: $0, sql: sql) }
            }
        }
    }

    func random(of client: ClientPlan, worker: Int, for purpose: String) -> RandomStream {
        RandomStream(seed: seed, stream: "\(client.name.name)/\(purpose)", worker: worker)
    }
}

/// The variables that statements use, with their indices in the list of generators.
struct VariableTable {
    private let scenario: Scenario
    private let known: [String: Variable]
    /// The variables for which other variables use the newest value.
    private let followed: Set<String>
    private var sequences: [String: SharedSequence] = [:]
    private var indices: [String: Int] = [:]
    private(set) var generators: [ValueGenerator] = []

    init(_ scenario: Scenario) {
        self.scenario = scenario
        known = scenario.allVariables
        followed = Set(known.values.compactMap(\.followedVariable))
    }

    /// Returns the counter that a sequential variable shares with the variables that follow it.
    private mutating func sequence(of name: String) -> SharedSequence {
        if let sequence = sequences[name] { return sequence }
        let sequence = SharedSequence()
        sequences[name] = sequence
        return sequence
    }

    mutating func plan(_ sql: String, client: String) throws -> ClientPlan.StatementPlan {
        let template = StatementTemplate(sql: sql)
        let variables = try template.parameters.map { try variableIndex(of: $0, in: sql, client) }
        return ClientPlan.StatementPlan(sql: sql, variables: variables)
    }

    mutating func open(_ names: [String]) {
        for name in names {
            indices[name] = generators.count
            // The value is NULL until a row is fetched.
            var nothing = Variable(distribution: .uniform, minimum: 0, maximum: 0)
            nothing.nulls = 1
            generators.append(ValueGenerator(nothing))
        }
    }

    mutating func close(_ names: [String]) {
        for name in names { indices[name] = nil }
    }

    mutating func variableIndex(of name: String, in text: String, _ client: String) throws -> Int {
        if let index = indices[name] { return index }
        guard let variable = known[name] else {
            throw RunError(
                .scenario,
                "client '\(client)' uses the undefined variable :\(name) in '\(text)'; the "
                    + "defined variables are "
                    + known.keys.sorted().map { ":" + $0 }.joined(separator: ", ")
            )
        }
        let index = generators.count
        indices[name] = index
        generators.append(
            ValueGenerator(
                variable,
                sequence: sequence(of: name),
                newest: variable.followedVariable.map { sequence(of: $0) },
                isFollowed: followed.contains(name)
            )
        )
        return index
    }
}

extension ClientPlan {
    /// A read that starts the snapshot of a transaction.
    private static let touchStatement = "SELECT count(*) FROM sqlite_master"

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
            aim = interrupts[other]
        } else {
            aim = nil
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
            variables.open(fetched)
            defer { variables.close(fetched) }
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
            try add("hold", [.run(sql ?? Self.touchStatement)])
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
        if case .open(let arrival) = client.pace {
            skipAfter = arrival.skipAfter?.wholeNanoseconds
            let random = RandomStream(seed: scenario.seed, stream: "\(client.name)/arrivals")
            let schedule = ArrivalSchedule(
                arrival.process,
                along: RateCurve(arrival, over: phases).only(in: windows),
                random: random
            )
            self.schedule = schedule
            arrivals = ArrivalQueue(schedule)
        } else {
            skipAfter = nil
            arrivals = nil
            schedule = nil
        }
    }
}
