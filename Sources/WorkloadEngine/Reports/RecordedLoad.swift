import Foundation

/// The load that a run requested.
///
/// The load and the measured times contain everything that a simulation needs to repeat the run.
/// Times are in nanoseconds.
public struct RecordedLoad: Sendable, Codable, Equatable {
    /// The kind of arm, as written in a scenario, such as `pool` or `queue`.
    public var kind: String
    /// The arm's library, as written in a scenario: `engine`, `raw`, or `grdb`.
    public var library: String
    /// The maximum number of readers, or `nil` if unknown.
    public var readers: Int?
    /// Whether the database was in WAL mode.
    public var isWAL: Bool
    /// The seed for all random choices.
    public var seed: UInt64
    /// The scale of a preset dataset, or `nil` for other data.
    public var scale: Int?
    /// Whether the run used the user's database, or `nil` in results of older versions.
    public var ownDatabase: Bool?
    /// The phases, in order.
    public var phases: [Phase]
    /// The maximum time to wait for running accesses after the last phase, in nanoseconds.
    public var drain: UInt64
    /// The clients that perform or interrupt accesses, keyed by name.
    public var clients: [String: Client]

    /// A phase of the run.
    public struct Phase: Sendable, Codable, Equatable {
        /// The phase's name.
        public var name: String
        /// The length of the phase, in nanoseconds.
        public var length: UInt64
        /// Whether accesses in the phase are measured.
        public var measured: Bool
    }

    /// A client's accesses and the rule for when they start.
    public struct Client: Sendable, Codable, Equatable {
        /// The number of workers.
        public var workers: Int
        /// The kind of workers: threads (`sync`), tasks (`async`), or processes (`process`).
        public var style: String
        /// The operations, or an empty array for a client that interrupts others.
        public var operations: [Operation]
        /// The client to interrupt, ``allClients``, or `nil` for a client that performs accesses.
        public var interrupts: String?
        /// `true` if a time limit or the next access can end an access early; otherwise, `nil`.
        public var isCutShort: Bool?
        /// The minimum time that each access holds its connection, in nanoseconds, if any.
        public var hold: UInt64?
        /// The number of consecutive accesses in each turn, or `nil` if there is only one.
        public var batches: Int?
        /// The phases in which the client is active, or `nil` for all phases.
        public var phases: [String]?
        /// The arrivals of an open loop, if any.
        public var arrivals: Arrivals?
        /// The think time between accesses in a closed loop, if any.
        public var think: Think?
        /// The time of the client's only access in measured phases, in nanoseconds, if any.
        public var at: UInt64?
        /// The time between a worker's periodic accesses, in nanoseconds, if any.
        public var every: UInt64?

        /// The value of ``interrupts`` for a client that interrupts all accesses.
        public static let allClients = "*"

        /// The value of ``interrupts`` for a client that interrupts all accesses.
        @available(*, deprecated, renamed: "allClients")
        public static let everybody = allClients
    }

    /// A client's operation.
    public struct Operation: Sendable, Codable, Equatable {
        /// The operation's name.
        public var name: String
        /// The operation's share of the client's total weight, from 0 to 1.
        public var weight: Double
        /// The kind of access, such as `read`.
        public var access: String
    }

    /// A schedule of arrivals.
    public struct Arrivals: Sendable, Codable, Equatable {
        /// The arrival process: `poisson` or `even`.
        public var process: String
        /// The number of arrivals per second, before the first stage if there are stages.
        public var rate: Double
        /// The stages of the rate in the measured phases, or `nil` for a constant rate.
        public var stages: [Stage]?
        /// The delay after which a late access is skipped, in nanoseconds, or `nil` for no limit.
        public var skipAfter: UInt64?
    }

    /// A stage of a changing rate.
    public struct Stage: Sendable, Codable, Equatable {
        /// The starting rate, in arrivals per second.
        public var from: Double
        /// The final rate, in arrivals per second.
        public var to: Double
        /// The length of the stage, in nanoseconds.
        public var length: UInt64
    }

    /// A worker's think time.
    public struct Think: Sendable, Codable, Equatable {
        /// The minimum time, in nanoseconds, which equals ``most`` for a constant time.
        public var least: UInt64?
        /// The maximum time, in nanoseconds.
        public var most: UInt64?
        /// The mean of exponentially distributed times, in nanoseconds.
        public var mean: UInt64?
    }
}

extension RecordedLoad {
    init(
        _ plan: RunPlan,
        of scenario: Scenario,
        on arm: Arm,
        database: UserDatabase? = nil
    ) {
        ownDatabase = database != nil
        kind = arm.kind.rawValue
        library = arm.library.rawValue
        readers = arm.kind == .pool ? arm.readers : nil
        isWAL = arm.isWAL
        seed = scenario.seed
        scale = scenario.dataset.scaleFactor
        phases = scenario.phases.map {
            Phase(name: $0.name, length: $0.duration.wholeNanoseconds, measured: $0.isMeasured)
        }
        drain = plan.phases.drain
        clients = [:]
        for client in plan.clients where client.isTimed || client.client.interrupted != nil {
            clients[client.name.name] = Client(client, measured: plan.phases.measured)
        }
    }
}

extension RecordedLoad.Client {
    fileprivate init(_ plan: ClientPlan, measured: Duration) {
        let client = plan.client
        workers = client.workers
        style = client.style.rawValue
        interrupts = client.interrupted
        operations =
            interrupts != nil
            ? []
            : plan.operationNames.indices.map { index in
                RecordedLoad.Operation(
                    name: plan.operationNames[index],
                    weight: plan.weights[index],
                    access: plan.accesses[index].rawValue
                )
            }
        if client.canBeInterrupted { isCutShort = true }
        switch client.activity {
        case .hold, .snapshot: hold = plan.holdTime
        case .importRows(let rows, let batch, _):
            let size = max(1, batch)
            batches = (rows + size - 1) / size
        default: break
        }
        if !client.phases.isEmpty { phases = client.phases }
        recordPace(of: client, measured: measured)
    }
}

extension Client {
    fileprivate var interrupted: String? {
        switch activity {
        case .interrupt: RecordedLoad.Client.allClients
        case .action(.interrupt(let client)): client
        default: nil
        }
    }
}

extension Dataset {
    /// The scale of the generated data, or `nil` if no data is generated.
    var scaleFactor: Int? {
        switch self {
        case .pgbench(let scale): scale
        case .ycsb(let records): records / Self.ycsbRecordsPerScale
        case .sysbench(let rows): rows / SysbenchDataset.rowsPerScale
        case .schema(let schema): schema.tables.isEmpty ? nil : schema.scale
        case .file: nil
        }
    }
}
