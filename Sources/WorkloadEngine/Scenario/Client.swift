/// A user of the database: a kind of access, a number of workers, and a pace.
public struct Client: Sendable, Equatable {
    /// The client's name, which also identifies the client as the holder of a connection in a
    /// status.
    public var name: String
    /// The client's activity.
    public var activity: Activity
    /// The number of concurrent workers.
    public var workers: Int = 1
    /// Whether the workers are threads, tasks or processes.
    public var style = Style.sync
    /// The timing of accesses.
    public var pace: Pace = .closed(think: .zero)
    /// The number of retries of an access if the database is busy.
    public var busyRetries: Int = 0
    /// The time inside an access after which it is interrupted, or `nil` to never interrupt it.
    public var interruptAfter: Duration?
    /// The time after which a task's access is canceled, even while it is waiting, or `nil` to
    /// never cancel it.
    public var cancelAfter: Duration?
    /// Whether each access interrupts the client's earlier accesses, like each keystroke in a
    /// search.
    public var supersedes = false
    /// The reads that follow each committed write.
    ///
    /// The reads run on another connection and start before the writer is released.
    public var thenRead: [String] = []
    /// The names of the phases in which the client is active.
    ///
    /// If the array is empty, the client is active in all phases.
    public var phases: [String] = []

    /// The kind of a client's workers.
    public enum Style: String, Sendable, Equatable, CaseIterable {
        /// Threads, which accesses block.
        case sync
        /// Tasks, which await their accesses.
        case async
        /// Processes, each of which opens the same file.
        case process
    }

    /// A client's activity.
    public enum Activity: Sendable, Equatable {
        /// Accesses that each run one operation from a weighted mix.
        case operations(WorkloadAccess, mix: [Operation])
        /// Reads that hold their connection and transaction for a time.
        case hold(TimeSpan, sql: String?)
        /// A snapshot that is held for a time. `sql` reads from the snapshot at the start and at
        /// the end.
        case snapshot(TimeSpan, sql: String?)
        /// An import of rows in batches, each in one transaction.
        case importRows(count: Int, batch: Int, statement: String?)
        /// Calls to `interrupt()`.
        case interrupt
        /// An action that is not an access.
        case action(ClientAction)
    }

    /// The timing of accesses.
    public enum Pace: Sendable, Equatable {
        /// Each worker starts its next access when its previous access has ended and a think time
        /// has passed.
        case closed(ThinkTime)
        /// Accesses arrive on a schedule, whether or not a worker is free.
        case open(Arrival)
        /// One access at a given time in the measured part.
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
    /// Whether any of the client's accesses writes.
    var writes: Bool {
        switch activity {
        case .operations(let access, let mix):
            mix.isEmpty ? access.isWrite : mix.contains { ($0.access ?? access).isWrite }
        case .importRows: true
        case .hold, .snapshot, .interrupt, .action: false
        }
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
        /// The stage's length, which may be a share of the measured part.
        public var length: TimeSpan

        /// Creates a stage.
        public init(from: Double, to: Double, length: TimeSpan) {
            self.from = from
            self.to = to
            self.length = length
        }
    }

    /// The number of arrivals per second or, if there are stages, the rate before the first stage.
    public var rate: Double
    /// The stages of the rate in the measured part, or an empty array for a constant rate.
    public var stages: [Stage] = []
    /// The distribution of the arrivals over time.
    public var process: Process
    /// The lateness after which an access is skipped, or `nil` to never skip accesses.
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
    /// The operation's weight.
    ///
    /// The operation's share of the mix is its weight divided by the sum of all weights.
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

/// A limit on a metric, such as `p(99) < 50ms` on `ui.response`.
public struct Threshold: Sendable, Equatable {
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The expression as written.
    public var expression: String
    /// The aggregate of the metric, such as `p(99)`, `max` or `rate`.
    public var aggregate: String
    /// The operator: `<`, `<=`, `>` or `>=`.
    public var comparison: String
    /// The limit in the metric's base unit: nanoseconds, bytes, or a plain number.
    public var limit: Double
    /// The measured time after which a miss ends the run early, or `nil` if a miss does not end the
    /// run.
    public var abortDelay: Duration?

    /// Creates a threshold.
    public init(
        metric: String,
        expression: String,
        aggregate: String,
        comparison: String,
        limit: Double
    ) {
        self.metric = metric
        self.expression = expression
        self.aggregate = aggregate
        self.comparison = comparison
        self.limit = limit
    }
}
