/// A scenario prepared for one arm.
struct RunPlan: Sendable {
    let phases: PhasePlan
    let clients: [ClientPlan]
    /// The reasons the arm cannot run certain clients, keyed by client name.
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
            if client.canBeInterrupted {
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
    /// If a client changes the schema, the check covers only transaction control statements.
    ///
    /// - Throws: ``RunError`` for the first invalid statement, with its position in the file.
    func checkStatements(of scenario: Scenario, on target: any WorkloadTarget) throws {
        let statements = clients.flatMap { client in
            (client.operations.joined() + client.thenRead)
                .map { (client: client.name.name, sql: $0.sql) }
        }
        for (client, problem, sql) in transactionProblems {
            let issue = scenario.issue("client '\(client)': \(problem)", with: sql)
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
                let issue = scenario.issue(
                    "client '\(statement.client)': '\(statement.sql)' cannot be prepared: "
                        + target.reason(of: error),
                    with: statement.sql
                )
                throw RunError(.scenario, issue.description)
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
