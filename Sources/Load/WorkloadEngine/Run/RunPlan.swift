import Foundation
import SQLText
import Scenarios
import Telemetry

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
    /// - Throws: `RunError` if a client or a variable of the scenario is invalid.
    init(
        _ scenario: Scenario,
        on target: any WorkloadTarget,
        startsProcesses: Bool = false,
        datasets: DatasetStore? = nil
    ) throws {
        phases = PhasePlan(scenario)
        seed = scenario.seed
        let resolved =
            try datasets?.resolvingColumns(of: scenario, on: target)
            ?? scenario.resolvingColumns(on: target)
        var variables = VariableTable(resolved)
        var clients: [ClientPlan] = []
        var unsupported: [String: String] = [:]
        let interrupts = Self.interrupts(of: scenario.clients)
        for var client in scenario.clients {
            let owner = scenario.clients.first { $0.name == client.workersOf }
            client.workers = owner?.workers ?? client.workers
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
        Self.shareWorkers(of: &clients)
        self.clients = clients
        self.unsupported = unsupported
        generators = variables.generators
    }

    /// Lets clients take turns with the client whose workers they use.
    private static func shareWorkers(of clients: inout [ClientPlan]) {
        var turns: [String: WorkerTurns] = [:]
        for client in clients {
            guard let name = client.client.workersOf, turns[name] == nil else { continue }
            // An arm may not support the client that has the workers.
            let owner = clients.first { $0.client.name == name } ?? client
            turns[name] = WorkerTurns(owner.settings)
        }
        for index in clients.indices {
            let client = clients[index].client
            clients[index].turns = turns[client.workersOf ?? client.name]
        }
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
    /// - Throws: `RunError` for the first invalid statement, with its position in the file.
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

/// The options of a run, which do not change the workload.
public struct RunOptions: Sendable {
    /// The folder in which the run creates its own folder.
    public var folder: URL = FileManager.default.temporaryDirectory
    /// Whether the run keeps its folder.
    public var keepsFolder = false
    /// The dataset store to share with other runs, or `nil` to build the data only for this run.
    public var datasets: DatasetStore?
    /// The command and arguments that start ``RemoteTargetServer`` in another process.
    ///
    /// Clients with `style: process` require this command.
    public var processCommand: [String]?
    /// The user's database, or `nil` to use the scenario's data.
    public var database: UserDatabase?
    /// A function to call with each sample, on the run's thread.
    ///
    /// The function must return quickly.
    public var onSample: (@Sendable (Sample) -> Void)?
    /// A function to call with each line of preparation progress, on the run's thread.
    public var onProgress: (@Sendable (String) -> Void)?
    /// A function to call with the URL of a kept folder, on the run's thread.
    public var onKeptFolder: (@Sendable (URL) -> Void)?
    /// The seed for the data, or `nil` to use the scenario's seed.
    ///
    /// The blocks of a comparison have different seeds but the same data.
    package var datasetSeed: UInt64?
    package var clock: any RunClock = MonotonicClock()
    /// The time between samples, in nanoseconds.
    package var sampleInterval: UInt64 = 100_000_000
    /// The time between records in the result, in nanoseconds, which must be at least
    /// ``sampleInterval``.
    package var recordInterval: UInt64 = 1_000_000_000
    /// The periods in which to measure the clients, or `nil` to measure only the phases.
    package var periods: LoadPeriods?
    /// Whether missed thresholds with `abort: true` end the run early.
    package var endsAtMissedThresholds = true
    /// Whether the run fails if a client ends with only unfinished accesses, or is so rare that it
    /// was offered none.
    package var judgesUnfinished = true
    /// A function to call with each client's measured response times at the end of the run, on
    /// the run's thread.
    package var onResponses: (@Sendable ([String: ResponseTimes]) -> Void)?

    /// Creates the default options.
    public init() {}
}

/// The user's database for a run.
public enum UserDatabase: Sendable, Equatable {
    /// Use a copy of the database.
    case copy(of: URL)
    /// Use the database itself and keep the run's writes.
    case inPlace(URL)
}

/// A type that detects statements that start or end a transaction and are therefore not allowed in
/// an access.
enum TransactionControl {
    /// Returns the reason an access cannot run a statement, or `nil` if it can.
    static func problem(with sql: String, in access: WorkloadAccess) -> String? {
        guard access != .writeWithoutTransaction else { return nil }
        switch SQLStatementKind(sql) {
        case .begin, .commit, .rollback:
            let verb = StatementTemplate(sql: sql).verb
            return "an access starts and ends its own transaction; remove \(verb)"
        // `ROLLBACK TO` a savepoint does not end the transaction.
        default: return nil
        }
    }
}
