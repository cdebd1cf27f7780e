/// Where a run stands.
public enum RunState: String, Sendable, Codable, Equatable {
    /// The data set is being built.
    case preparing
    /// The load runs.
    case running
    /// The load is held back.
    case paused
    /// The last phase is over; accesses that run are awaited.
    case draining
    /// It is over.
    case finished
}

/// The counts of one client's accesses, all since the measured part of the run began.
///
/// `offered = completed + skipped + errors + interrupted + unfinished`, to the last access.
public struct AccessCounts: Sendable, Codable, Equatable {
    /// Accesses that the load model asked for.
    public var offered: UInt64 = 0
    /// Accesses whose turn came.
    public var started: UInt64 = 0
    /// Accesses that ended well.
    public var completed: UInt64 = 0
    /// Accesses that were given up because they were already too late.
    public var skipped: UInt64 = 0
    /// Accesses that started more than a millisecond after their intended time.
    public var late: UInt64 = 0
    /// Further tries after a busy database.
    public var retried: UInt64 = 0
    /// Accesses that ended with an interrupt.
    public var interrupted: UInt64 = 0
    /// Accesses that were queued or running when the run and its drain ended.
    public var unfinished: UInt64 = 0
    /// Accesses that failed, by the name of the result code.
    public var errors: [String: UInt64] = [:]

    /// Creates counts of zero.
    public init() {}
}

/// One client of a scenario, over the last interval.
public struct ClientStatus: Sendable, Codable, Equatable {
    /// The client's name in the scenario.
    public var name: String
    /// What it does, in a word: `read`, `write`, `snapshot`, `interrupt`.
    public var activity: String
    /// Its workers.
    public var workers: Int
    /// The arrival rate that it aims at, in accesses/s; nil in a closed loop.
    public var targetRate: Double?
    /// Completed accesses per second, over the last second.
    public var throughput: Double
    /// Its counts so far.
    public var counts: AccessCounts
    /// From intended start to end, over the last ten seconds: one second of a slow client has too
    /// few values for a 99th percentile.
    public var response: LatencySummary?
    /// From start to the entry into the closure, over the last ten seconds.
    public var wait: LatencySummary?
    /// From the entry to the end, over the last ten seconds.
    public var service: LatencySummary?
    /// The distributions of the second that was just collected, for each operation; nil in the
    /// samples in between.
    public var operations: [OperationLatencies]?
    /// What its slow accesses of the last ten seconds were made of; nil before one was measured.
    public var slow: SlowSplit?

    /// Creates a status.
    public init(
        name: String,
        activity: String,
        workers: Int = 1,
        targetRate: Double? = nil,
        throughput: Double = 0,
        counts: AccessCounts = AccessCounts(),
        response: LatencySummary? = nil,
        wait: LatencySummary? = nil,
        service: LatencySummary? = nil
    ) {
        self.name = name
        self.activity = activity
        self.workers = workers
        self.targetRate = targetRate
        self.throughput = throughput
        self.counts = counts
        self.response = response
        self.wait = wait
        self.service = service
    }
}

/// Something that happened, for a ticker.
public struct TelemetryEvent: Sendable, Codable, Equatable {
    /// How much an event matters.
    public enum Severity: String, Sendable, Codable, Equatable {
        /// Good to know.
        case info
        /// Worth a look.
        case warning
        /// Something failed.
        case error
    }

    /// Seconds since the run began.
    public var time: Double
    /// How much it matters.
    public var severity: Severity
    /// One line that says what happened.
    public var message: String

    /// Creates an event.
    public init(time: Double, severity: Severity = .info, message: String) {
        self.time = time
        self.severity = severity
        self.message = message
    }
}

/// One look at a running workload and its database: all that a screen draws from.
public struct Sample: Sendable, Codable, Equatable {
    /// Counts the samples of a run from 0.
    public var sequence: Int
    /// Seconds since the run began, its warm-up included.
    public var time: Double
    /// The scenario's name.
    public var scenario: String
    /// The arm that runs.
    public var arm: String
    /// All arms that the scenario declares, in its order.
    public var arms: [String]
    /// The phase that runs.
    public var phase: String
    /// Where the run stands.
    public var state: RunState
    /// The run's planned length in seconds; nil when it has no end.
    public var plannedDuration: Double?
    /// The database.
    public var database: DatabaseStatus
    /// The clients, in the scenario's order.
    public var clients: [ClientStatus]
    /// Time-weighted readers in use over the maximum, in 0…1, since the last sample; nil for a
    /// queue.
    public var utilization: Double?
    /// The share of time, in 0…1, since the last sample, in which all readers were in use and
    /// somebody waited.
    public var saturation: Double?
    /// What happened since the last sample.
    public var events: [TelemetryEvent]
    /// Where the load's knobs stand; nil for what nobody can steer.
    public var knobs: LoadKnobs?
    /// Whether what happens now counts in the run's result; nil where nobody knows.
    public var isMeasured: Bool?

    /// Creates a sample.
    public init(
        sequence: Int,
        time: Double,
        scenario: String,
        arm: String,
        arms: [String] = [],
        phase: String = "",
        state: RunState = .running,
        plannedDuration: Double? = nil,
        database: DatabaseStatus,
        clients: [ClientStatus] = [],
        utilization: Double? = nil,
        saturation: Double? = nil,
        events: [TelemetryEvent] = [],
        knobs: LoadKnobs? = nil
    ) {
        self.sequence = sequence
        self.time = time
        self.scenario = scenario
        self.arm = arm
        self.arms = arms
        self.phase = phase
        self.state = state
        self.plannedDuration = plannedDuration
        self.database = database
        self.clients = clients
        self.utilization = utilization
        self.saturation = saturation
        self.events = events
        self.knobs = knobs
    }
}
