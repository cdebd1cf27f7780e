/// Somebody who uses the database: a kind of access, by some workers, at some pace.
public struct Client: Sendable, Equatable {
    /// The client's name: the holder's name in a status.
    public var name: String
    /// What it does.
    public var activity: Activity
    /// How many do it at the same time.
    public var workers: Int = 1
    /// In what its workers make their accesses.
    public var style = Style.sync
    /// When accesses happen.
    public var pace: Pace = .closed(think: .zero)
    /// How often a busy database is tried again, for one access.
    public var busyRetries: Int = 0
    /// After this time inside of an access, the access is interrupted; nil for never.
    public var interruptAfter: Duration?
    /// After this time an access of a task is cancelled, wherever it is; nil for never.
    public var cancelAfter: Duration?
    /// Whether each access interrupts those of the same client that came before it, as each
    /// keystroke of a search does.
    public var supersedes = false
    /// What is read of each write that was committed, on a connection of its own, from before the
    /// writer is let go.
    public var thenRead: [String] = []
    /// The phases in which it is at work, by name; none for all of them.
    public var phases: [String] = []

    /// In what a client's workers make their accesses.
    public enum Style: String, Sendable, Equatable, CaseIterable {
        /// Each in a thread, which an access blocks.
        case sync
        /// Each in a task, which awaits its accesses.
        case async
        /// Each in a process of its own, which opens the same file.
        case process
    }

    /// What a client does.
    public enum Activity: Sendable, Equatable {
        /// Accesses that run one operation of a weighted mix.
        case operations(WorkloadAccess, mix: [Operation])
        /// Reads that keep their connection and transaction for a time.
        case hold(TimeSpan, sql: String?)
        /// A snapshot that is kept for a time; `sql` is read from it at its begin and end.
        case snapshot(TimeSpan, sql: String?)
        /// Rows inserted in batches, each in one transaction.
        case importRows(count: Int, batch: Int, statement: String?)
        /// `interrupt()`.
        case interrupt
        /// Something else than an access of its own.
        case action(ClientAction)
    }

    /// When accesses happen.
    public enum Pace: Sendable, Equatable {
        /// Each worker starts its next access when the last one ended and it has thought.
        case closed(ThinkTime)
        /// Accesses arrive on a schedule, whether or not somebody is free.
        case open(Arrival)
        /// Once, at a moment of the measured part.
        case at(TimeSpan)
        /// Again and again, one period after another, first after one period.
        case every(TimeSpan)
    }

    /// Creates a client.
    public init(name: String, activity: Activity) {
        self.name = name
        self.activity = activity
    }
}

extension Client.Pace {
    /// A closed loop that always thinks as long.
    public static func closed(think: Duration) -> Client.Pace { .closed(.constant(think)) }
}

/// A schedule of arrivals.
public struct Arrival: Sendable, Equatable {
    /// How arrivals are spread.
    public enum Process: String, Sendable, Equatable, CaseIterable {
        /// Exponentially distributed gaps.
        case poisson
        /// Equal gaps.
        case even
    }

    /// One part of a rate that changes.
    public struct Stage: Sendable, Equatable {
        /// Arrivals per second at its begin.
        public var from: Double
        /// Arrivals per second at its end; between them the rate is a straight line.
        public var to: Double
        /// How long it lasts; a share is one of the measured part.
        public var length: TimeSpan

        /// Creates a stage.
        public init(from: Double, to: Double, length: TimeSpan) {
            self.from = from
            self.to = to
            self.length = length
        }
    }

    /// Arrivals per second; with stages, before the first of them.
    public var rate: Double
    /// How the rate changes in the measured part; empty for a constant one.
    public var stages: [Stage] = []
    /// How they are spread.
    public var process: Process
    /// An access that is later than this when its turn comes is given up; nil for never.
    public var skipAfter: Duration?

    /// Creates a schedule; `rate` is in accesses/s.
    public init(rate: Double, process: Process = .poisson, skipAfter: Duration? = nil) {
        self.rate = rate
        self.process = process
        self.skipAfter = skipAfter
    }

    /// Creates a schedule whose rate goes through `stages`, which must not be empty.
    public init(stages: [Stage], process: Process = .poisson, skipAfter: Duration? = nil) {
        self.init(rate: stages.first?.from ?? 0, process: process, skipAfter: skipAfter)
        self.stages = stages
    }
}

/// One entry of a client's mix.
public struct Operation: Sendable, Equatable {
    /// Its name in the results.
    public var name: String
    /// Its share among the mix: weight over the sum of weights.
    public var weight: Double
    /// Its steps, in their order, all in one access.
    public var steps: [Step]
    /// The kind of access; nil for that of its client.
    public var access: WorkloadAccess?

    /// Its statements, in the order in which they stand.
    public var statements: [String] { steps.flatMap(\.statements) }

    /// Creates an operation that runs statements one after another.
    public init(name: String, weight: Double = 1, statements: [String]) {
        self.init(name: name, weight: weight, steps: statements.map { .run($0) })
    }

    /// Creates an operation of steps.
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

/// A limit on a metric: `ui.response`, `p(99) < 50ms`.
public struct Threshold: Sendable, Equatable {
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The expression as it was written.
    public var expression: String
    /// What is taken of the metric, such as `p(99)`, `max`, `rate`.
    public var aggregate: String
    /// `<`, `<=`, `>` or `>=`.
    public var comparison: String
    /// The limit in the metric's base unit: nanoseconds, bytes, or a plain number.
    public var limit: Double

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
