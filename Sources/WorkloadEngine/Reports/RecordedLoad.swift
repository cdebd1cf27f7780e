import Foundation

/// The load of a run as it was asked for: with the times that were measured, all that a simulation
/// needs to run it once more.
///
/// Times are in nanoseconds; what is about the load's time line counts from the load's begin.
public struct RecordedLoad: Sendable, Codable, Equatable {
    /// What served the accesses, as in a scenario: `pool`, `queue` and so on.
    public var kind: String
    /// Whose code made them, as in a scenario: `engine`, `raw`, `grdb`.
    public var library: String
    /// `maximumReaderCount`; absent where it is not known.
    public var readers: Int?
    /// Whether the database was in WAL mode.
    public var isWAL: Bool
    /// The seed of all randomness.
    public var seed: UInt64
    /// The scale of a preset dataset; absent where it has none.
    public var scale: Int?
    /// Whether it ran on a database of the user's, and not on the scenario's data; absent in results
    /// of older versions.
    public var ownDatabase: Bool?
    /// The phases, in their order.
    public var phases: [Phase]
    /// How long accesses that ran at the end were awaited.
    public var drain: UInt64
    /// The clients that make accesses or interrupt them, by name.
    public var clients: [String: Client]

    /// A stretch of the run.
    public struct Phase: Sendable, Codable, Equatable {
        /// Its name.
        public var name: String
        /// How long it lasts.
        public var length: UInt64
        /// Whether its accesses count.
        public var measured: Bool
    }

    /// What one client does, and when.
    public struct Client: Sendable, Codable, Equatable {
        /// How many workers it has.
        public var workers: Int
        /// Whether they are threads (`sync`), tasks (`async`) or processes (`process`).
        public var style: String
        /// Its operations; none of a client that interrupts others.
        public var operations: [Operation]
        /// Whose accesses it interrupts: a client's name, or ``everybody``; absent for one that
        /// makes accesses.
        public var interrupts: String?
        /// Whether something else ends its accesses early: a time limit, or its own next one;
        /// absent when nothing does.
        public var isCutShort: Bool?
        /// How long each access keeps its connection at least; absent for those that end by
        /// themselves.
        public var hold: UInt64?
        /// How many accesses follow each other at each turn; absent for one.
        public var batches: Int?
        /// The phases in which it is at work; absent for all of them.
        public var phases: [String]?
        /// Its arrivals, where they have a schedule of their own.
        public var arrivals: Arrivals?
        /// How long its workers think between two accesses, in a closed loop.
        public var think: Think?
        /// When it makes its only access, from the begin of the measured part.
        public var at: UInt64?
        /// The time between two accesses of a worker.
        public var every: UInt64?

        /// What ``interrupts`` says of a client that interrupts whatever runs.
        public static let everybody = "*"
    }

    /// One operation of a client.
    public struct Operation: Sendable, Codable, Equatable {
        /// Its name.
        public var name: String
        /// Its share among the client's operations: weight over the sum of weights.
        public var weight: Double
        /// Its kind of access, such as `read`.
        public var access: String
    }

    /// A schedule of arrivals.
    public struct Arrivals: Sendable, Codable, Equatable {
        /// How they are spread: `poisson` or `even`.
        public var process: String
        /// Arrivals per second; with stages, before the first of them.
        public var rate: Double
        /// How the rate changes in the measured part; absent for a constant one.
        public var stages: [Stage]?
        /// How late an access may be before it is given up; absent for any.
        public var skipAfter: UInt64?
    }

    /// One part of a rate that changes.
    public struct Stage: Sendable, Codable, Equatable {
        /// Arrivals per second at its begin.
        public var from: Double
        /// Arrivals per second at its end.
        public var to: Double
        /// How long it lasts.
        public var length: UInt64
    }

    /// How long a worker thinks.
    public struct Think: Sendable, Codable, Equatable {
        /// The shortest time; equal to ``most`` for one that is always as long.
        public var least: UInt64?
        /// The longest time.
        public var most: UInt64?
        /// The mean of times that are exponentially distributed.
        public var mean: UInt64?
    }
}

extension RecordedLoad {
    /// The load that a plan makes of a scenario, on its data or on a `database` of the user's.
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
    /// Whose accesses it interrupts, as ``RecordedLoad`` says it; nil when it interrupts no client.
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
    /// How many units of scale it has; nil for a database that exists.
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
