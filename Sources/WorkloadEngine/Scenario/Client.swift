/// A user of the database: a kind of access, a number of workers, and a pace.
public struct Client: Sendable, Equatable {
    /// The client's name, which also identifies holders in a status.
    public var name: String
    /// The client's activity.
    public var activity: Activity
    /// The number of concurrent workers.
    public var workers: Int = 1
    /// Whether the workers are threads, tasks or processes.
    public var style = Style.sync
    /// The times of accesses.
    public var pace: Pace = .closed(think: .zero)
    /// The number of retries of an access if the database is busy.
    public var busyRetries: Int = 0
    /// The time inside an access after which it is interrupted; nil to never interrupt it.
    public var interruptAfter: Duration?
    /// The time after which the access of a task is cancelled, even while it waits; nil for never.
    public var cancelAfter: Duration?
    /// Whether each access interrupts earlier accesses of the same client, like each keystroke of a
    /// search.
    public var supersedes = false
    /// The reads of each committed write, which run on another connection and start before the
    /// writer is released.
    public var thenRead: [String] = []
    /// The names of the phases in which it is active; empty for all phases.
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

    /// The activity of a client.
    public enum Activity: Sendable, Equatable {
        /// Accesses that run one operation of a weighted mix.
        case operations(WorkloadAccess, mix: [Operation])
        /// Reads that hold their connection and transaction for a time.
        case hold(TimeSpan, sql: String?)
        /// A snapshot that is held for a time; `sql` is read from it at its start and end.
        case snapshot(TimeSpan, sql: String?)
        /// Rows inserted in batches, each in one transaction.
        case importRows(count: Int, batch: Int, statement: String?)
        /// `interrupt()`.
        case interrupt
        /// An action that is not an access.
        case action(ClientAction)
    }

    /// The times of accesses.
    public enum Pace: Sendable, Equatable {
        /// Each worker starts its next access after the previous one has ended and a think time.
        case closed(ThinkTime)
        /// Accesses arrive on a schedule, whether or not a worker is free.
        case open(Arrival)
        /// One access, at a time in the measured part.
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
    /// Whether any of its accesses writes.
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

    /// One stage of a changing rate.
    public struct Stage: Sendable, Equatable {
        /// The starting rate, in arrivals per second.
        public var from: Double
        /// The final rate, in arrivals per second; the rate changes linearly.
        public var to: Double
        /// The length; a share refers to the measured part.
        public var length: TimeSpan

        /// Creates a stage.
        public init(from: Double, to: Double, length: TimeSpan) {
            self.from = from
            self.to = to
            self.length = length
        }
    }

    /// Arrivals per second; with stages, before the first stage.
    public var rate: Double
    /// The stages of the rate in the measured part; empty for a constant rate.
    public var stages: [Stage] = []
    /// The distribution of the arrivals over time.
    public var process: Process
    /// The lateness after which an access is skipped; nil to never skip.
    public var skipAfter: Duration?

    /// Creates a schedule; `rate` is in accesses/s.
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

/// One entry of a client's mix.
public struct Operation: Sendable, Equatable {
    /// The operation's name in results.
    public var name: String
    /// The operation's weight; its share of the mix is the weight over the sum of weights.
    public var weight: Double
    /// The steps, in order, all in one access.
    public var steps: [Step]
    /// The kind of access; nil for the client's kind.
    public var access: WorkloadAccess?

    /// The statements of all steps, in order.
    public var statements: [String] { steps.flatMap(\.statements) }

    /// Creates an operation that runs statements in order.
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
    /// The expression as written.
    public var expression: String
    /// The aggregate of the metric, such as `p(99)`, `max`, `rate`.
    public var aggregate: String
    /// `<`, `<=`, `>` or `>=`.
    public var comparison: String
    /// The limit in the metric's base unit: nanoseconds, bytes, or a plain number.
    public var limit: Double
    /// The measured time after which a miss ends the run early; nil if a miss does not end it.
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
