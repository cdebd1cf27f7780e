/// A user of the database, with a kind of access, a number of workers, and a pace.
public struct Client: Sendable, Equatable {
    /// The client's name, which also identifies the holder of a connection in a status.
    public var name: String
    /// The client's activity.
    public var activity: Activity
    /// The number of concurrent workers, which the dashboard can change during a run.
    public var workers: Int = 1
    /// The client whose workers also perform this client's accesses, or `nil` for its own workers.
    ///
    /// Together, the two clients perform at most as many accesses at once as that client has workers,
    /// such as one for a program that has one connection for its reads and its writes.
    public var workersOf: String?
    /// The kind of workers.
    public var style = Style.sync
    /// The timing of accesses.
    public var pace: Pace = .closed(think: .zero)
    /// The maximum number of retries of an access if the database is busy.
    public var busyRetries: Int = 0
    /// The time after which an access that has acquired its connection is interrupted, or `nil` for
    /// no limit.
    public var interruptAfter: Duration?
    /// The time after which a task's access is canceled, including the wait for a connection, or
    /// `nil` for no limit.
    public var cancelAfter: Duration?
    /// Whether each access interrupts the client's earlier accesses, as in search-as-you-type.
    public var supersedes = false
    /// The reads that follow each committed write, on another connection.
    ///
    /// The reads start before the writer is released.
    public var thenRead: [String] = []
    /// The names of the phases in which the client is active, or an empty array for all phases.
    public var phases: [String] = []

    /// The kind of a client's workers.
    public enum Style: String, Sendable, Equatable, CaseIterable {
        /// Threads, which accesses block.
        case sync
        /// Tasks, which await their accesses.
        case async
        /// Processes that each open the same file.
        case process
    }

    /// A client's activity.
    public enum Activity: Sendable, Equatable {
        /// Accesses that each run an operation from a weighted mix.
        case operations(WorkloadAccess, mix: [Operation])
        /// Reads that hold their connection and transaction for a time.
        case hold(TimeSpan, sql: String?)
        /// A snapshot that is held for a time and optionally read at the start and at the end.
        case snapshot(TimeSpan, sql: String?)
        /// An import of rows in batches, each in one transaction.
        case importRows(count: Int, batch: Int, statement: String?)
        /// Interrupts of all running accesses.
        case interrupt
        /// An action that is not an access.
        case action(ClientAction)
    }

    /// The timing of accesses.
    public enum Pace: Sendable, Equatable {
        /// Each worker starts an access after its previous access ends and a think time passes.
        case closed(ThinkTime)
        /// Accesses arrive on a schedule, even if no worker is free.
        case open(Arrival)
        /// One access at a given time in the measured phases.
        case at(TimeSpan)
        /// One access at the end of each period.
        case every(TimeSpan)
    }

    /// Creates a client.
    public init(name: String, activity: Activity) {
        self.name = name
        self.activity = activity
    }
}

extension Client {
    package var writes: Bool {
        switch activity {
        case .operations(let access, let mix):
            mix.isEmpty ? access.isWrite : mix.contains { ($0.access ?? access).isWrite }
        case .importRows: true
        case .hold, .snapshot, .interrupt, .action: false
        }
    }
}

extension Client {
    /// Whether the client can use the workers of another one, or lend its own.
    var canTakeTurns: Bool {
        if case .operations = activity { style == .sync && !supersedes } else { false }
    }
}

extension Client.Pace {
    /// A closed loop with a constant think time.
    public static func closed(think: Duration) -> Client.Pace { .closed(.constant(think)) }
}

/// A schedule of arrivals.
public struct Arrival: Sendable, Equatable {
    /// The distribution of arrivals over time.
    public enum Process: String, Sendable, Equatable, CaseIterable {
        /// Exponentially distributed gaps.
        case poisson
        /// Equal gaps.
        case even
    }

    /// A stage of a changing rate.
    public struct Stage: Sendable, Equatable {
        /// The starting rate, in arrivals per second.
        public var from: Double
        /// The final rate, in arrivals per second.
        ///
        /// The rate changes linearly.
        public var to: Double
        /// The length of the stage, which may be a share of the measured time.
        public var length: TimeSpan

        /// Creates a stage.
        public init(from: Double, to: Double, length: TimeSpan) {
            self.from = from
            self.to = to
            self.length = length
        }
    }

    /// The number of arrivals per second, before the first stage if there are stages.
    public var rate: Double
    /// The stages of the rate in the measured phases, or an empty array for a constant rate.
    public var stages: [Stage] = []
    /// The distribution of the arrivals over time.
    public var process: Process
    /// The delay after which a late access is skipped, or `nil` for no limit.
    public var skipAfter: Duration?

    /// Creates a schedule with a constant rate, in accesses/s.
    public init(rate: Double, process: Process = .poisson, skipAfter: Duration? = nil) {
        self.rate = rate
        self.process = process
        self.skipAfter = skipAfter
    }

    /// Creates a schedule with `stages`, which must not be empty.
    public init(stages: [Stage], process: Process = .poisson, skipAfter: Duration? = nil) {
        self.init(rate: stages.first?.from ?? 0, process: process, skipAfter: skipAfter)
        self.stages = stages
    }
}

/// An entry in a client's mix.
public struct Operation: Sendable, Equatable {
    /// The operation's name in results.
    public var name: String
    /// The operation's weight relative to the sum of all weights in the mix.
    public var weight: Double
    /// The steps in order, all in one access.
    public var steps: [Step]
    /// The kind of access, or `nil` for the client's kind.
    public var access: WorkloadAccess?

    /// The statements of all steps, in order.
    public var statements: [String] { steps.flatMap(\.statements) }

    /// Creates an operation that runs statements in order.
    public init(name: String, weight: Double = 1, statements: [String]) {
        self.init(name: name, weight: weight, steps: statements.map { .run($0) })
    }

    /// Creates an operation that performs steps in order.
    public init(
        name: String,
        weight: Double = 1,
        access: WorkloadAccess? = nil,
        steps: [Step]
    ) {
        self.name = name
        self.weight = weight
        self.access = access
        self.steps = steps
    }
}

/// A client's action that is not an access.
public enum ClientAction: Sendable, Equatable {
    /// Interrupts one client's accesses.
    case interrupt(client: String)
    /// Interrupts the running statement of the connection with the given label.
    case interruptConnection(String)
    /// Copies the write-ahead log to the database file.
    case checkpoint(CheckpointMode)
    /// Copies the database to a temporary file, in steps of `pagesPerStep` pages.
    case backup(pagesPerStep: Int)
}

/// The time that a worker in a closed loop waits after an access.
public enum ThinkTime: Sendable, Equatable {
    /// A constant time.
    case constant(Duration)
    /// A uniformly distributed time.
    case uniform(ClosedRange<Duration>)
    /// An exponentially distributed time, as between events in a Poisson process.
    case exponential(mean: Duration)
}
