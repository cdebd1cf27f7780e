import Foundation

/// The requested load of a run: together with the measured times, it is all that a simulation needs
/// to repeat the run.
///
/// Times are in nanoseconds. Times on the load's time line count from the start of the load.
public struct RecordedLoad: Sendable, Codable, Equatable {
    /// The kind of arm, as in a scenario: `pool`, `queue` and so on.
    public var kind: String
    /// The arm's library, as in a scenario: `engine`, `raw`, `grdb`.
    public var library: String
    /// `maximumReaderCount`; absent if unknown.
    public var readers: Int?
    /// Whether the database was in WAL mode.
    public var isWAL: Bool
    /// The seed of all randomness.
    public var seed: UInt64
    /// The scale of a preset dataset; absent if it has none.
    public var scale: Int?
    /// Whether the run used the user's database instead of the scenario's data; absent in results
    /// of older versions.
    public var ownDatabase: Bool?
    /// The phases, in order.
    public var phases: [Phase]
    /// The time for which the end of the run waited for running accesses.
    public var drain: UInt64
    /// The clients that make accesses or interrupt them, by name.
    public var clients: [String: Client]

    /// A phase of the run.
    public struct Phase: Sendable, Codable, Equatable {
        /// The phase's name.
        public var name: String
        /// The phase's length.
        public var length: UInt64
        /// Whether its accesses count.
        public var measured: Bool
    }

    /// The accesses of one client, and their times.
    public struct Client: Sendable, Codable, Equatable {
        /// The number of workers.
        public var workers: Int
        /// Whether they are threads (`sync`), tasks (`async`) or processes (`process`).
        public var style: String
        /// The operations; empty for a client that interrupts others.
        public var operations: [Operation]
        /// The client whose accesses it interrupts, or ``everybody``; absent for a client that
        /// makes accesses.
        public var interrupts: String?
        /// Whether its accesses may end early, through a time limit or its next access; absent if
        /// not.
        public var isCutShort: Bool?
        /// The shortest time for which each access holds its connection; absent for accesses
        /// without a hold.
        public var hold: UInt64?
        /// The number of consecutive accesses in each turn; absent for one.
        public var batches: Int?
        /// The phases in which it is active; absent for all phases.
        public var phases: [String]?
        /// The arrivals of an open loop.
        public var arrivals: Arrivals?
        /// The think time between two accesses in a closed loop.
        public var think: Think?
        /// The time of its only access, from the start of the measured part.
        public var at: UInt64?
        /// The time between two accesses of a worker.
        public var every: UInt64?

        /// The value of ``interrupts`` for a client that interrupts all accesses.
        public static let everybody = "*"
    }

    /// One operation of a client.
    public struct Operation: Sendable, Codable, Equatable {
        /// The operation's name.
        public var name: String
        /// Its share of the client's operations: weight over the sum of weights.
        public var weight: Double
        /// The kind of access, such as `read`.
        public var access: String
    }

    /// A schedule of arrivals.
    public struct Arrivals: Sendable, Codable, Equatable {
        /// The arrival process: `poisson` or `even`.
        public var process: String
        /// Arrivals per second; with stages, before the first stage.
        public var rate: Double
        /// The stages of the rate in the measured part; absent for a constant rate.
        public var stages: [Stage]?
        /// The lateness after which an access is skipped; absent if accesses are never skipped.
        public var skipAfter: UInt64?
    }

    /// One stage of a changing rate.
    public struct Stage: Sendable, Codable, Equatable {
        /// The starting rate, in arrivals per second.
        public var from: Double
        /// The final rate, in arrivals per second.
        public var to: Double
        /// The stage's length.
        public var length: UInt64
    }

    /// The think time of a worker.
    public struct Think: Sendable, Codable, Equatable {
        /// The shortest time; equal to ``most`` for a constant time.
        public var least: UInt64?
        /// The longest time.
        public var most: UInt64?
        /// The mean of exponentially distributed times.
        public var mean: UInt64?
    }
}

extension RecordedLoad {
    /// Records the load of a scenario's plan, on its data or on the user's `database`.
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
        if client.supersedes || client.interruptAfter != nil || client.cancelAfter != nil {
            isCutShort = true
        }
        switch client.activity {
        case .hold, .snapshot: hold = plan.holdTime
        case .importRows(let rows, let batch, _):
            let size = max(1, batch)
            batches = (rows + size - 1) / size
        default: break
        }
        if !client.phases.isEmpty { phases = client.phases }
        switch client.pace {
        case .open(let arrival): arrivals = RecordedLoad.Arrivals(arrival, measured: measured)
        case .closed(let think): self.think = RecordedLoad.Think(think)
        case .at(let span): at = span.resolved(in: measured).wholeNanoseconds
        case .every(let span): every = span.resolved(in: measured).wholeNanoseconds
        }
    }
}

extension Client {
    /// The client that it interrupts, in the form of ``RecordedLoad``; nil if it interrupts none.
    fileprivate var interrupted: String? {
        switch activity {
        case .interrupt: RecordedLoad.Client.everybody
        case .action(.interrupt(let client)): client
        default: nil
        }
    }
}

extension RecordedLoad.Arrivals {
    fileprivate init(_ arrival: Arrival, measured: Duration) {
        process = arrival.process.rawValue
        rate = arrival.rate
        skipAfter = arrival.skipAfter?.wholeNanoseconds
        guard !arrival.stages.isEmpty else { return }
        stages = arrival.stages.map { stage in
            RecordedLoad.Stage(
                from: stage.from,
                to: stage.to,
                length: stage.length.resolved(in: measured).wholeNanoseconds
            )
        }
    }
}

extension RecordedLoad.Think {
    fileprivate init(_ think: ThinkTime) {
        switch think {
        case .constant(let time):
            least = time.wholeNanoseconds
            most = least
        case .uniform(let range):
            least = range.lowerBound.wholeNanoseconds
            most = range.upperBound.wholeNanoseconds
        case .exponential(let mean): self.mean = mean.wholeNanoseconds
        }
    }
}

extension Dataset {
    /// The scale; nil for an existing database.
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
