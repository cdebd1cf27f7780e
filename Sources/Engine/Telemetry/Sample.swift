/// The state of a run.
public enum RunState: String, Sendable, Codable, Equatable {
    /// The dataset is being built.
    case preparing
    /// The load is running.
    case running
    /// The load is paused.
    case paused
    /// The last phase is over, and running accesses are completing.
    case draining
    /// The run is over.
    case finished
}

/// The counts of a client's accesses in the measured part of a run.
///
/// The number of offered accesses is always the sum of the completed, skipped, failed, interrupted,
/// and unfinished accesses.
public struct AccessCounts: Sendable, Codable, Equatable {
    /// The number of accesses that the load model scheduled.
    public var offered: UInt64 = 0
    /// The number of accesses that started.
    public var started: UInt64 = 0
    /// The number of accesses that succeeded.
    public var completed: UInt64 = 0
    /// The number of accesses that were skipped because they were too late.
    public var skipped: UInt64 = 0
    /// The number of accesses that started more than a millisecond after their scheduled time.
    public var late: UInt64 = 0
    /// The number of attempts that followed a failure because the database was busy.
    public var retried: UInt64 = 0
    /// The number of interrupted accesses.
    public var interrupted: UInt64 = 0
    /// The number of accesses that were still queued or running after the run and its drain.
    public var unfinished: UInt64 = 0
    /// The number of failed accesses, keyed by the name of the result code.
    public var errors: [String: UInt64] = [:]

    /// Creates counts of zero.
    public init() {}

    /// The total number of failed accesses.
    package var errorCount: UInt64 {
        errors.values.reduce(0, +)
    }

    /// Whether the number of offered accesses is the sum of the counts of all outcomes.
    package var isBalanced: Bool {
        offered == completed + skipped + errorCount + interrupted + unfinished
    }

    package mutating func add(_ other: AccessCounts) {
        offered += other.offered
        started += other.started
        completed += other.completed
        skipped += other.skipped
        late += other.late
        retried += other.retried
        interrupted += other.interrupted
        unfinished += other.unfinished
        if !other.errors.isEmpty { errors.merge(other.errors, uniquingKeysWith: +) }
    }
}

/// The status of a scenario's client.
public struct ClientStatus: Sendable, Codable, Equatable {
    /// The name of the client in the scenario.
    public var name: String
    /// The client's activity: `read`, `write`, `snapshot`, or `interrupt`.
    public var activity: String
    /// The number of workers.
    public var workers: Int
    /// The target arrival rate, in accesses/s, or `nil` in a closed loop.
    public var targetRate: Double?
    /// The number of accesses completed during the last second.
    public var throughput: Double
    /// The counts so far.
    public var counts: AccessCounts
    /// The time from the scheduled start to the end of the access, over the last ten seconds.
    ///
    /// A single second of a slow client has too few accesses for a 99th percentile.
    public var response: LatencySummary?
    /// The time from the start of the access to the start of its closure, over the last ten
    /// seconds.
    public var wait: LatencySummary?
    /// The time from the start of the closure to the end of the access, over the last ten seconds.
    public var service: LatencySummary?
    /// The distributions of each operation in the last complete second, or `nil` if no second has
    /// ended since the last sample.
    public var operations: [OperationLatencies]?
    /// The response times of the completed accesses in ``counts``, as of the last complete second,
    /// or `nil` if they are unknown.
    public var responseBuckets: LatencyBuckets?
    /// The times that the client's slow accesses in the last ten seconds spent in each phase, or
    /// `nil` if no accesses were timed.
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

/// An event in a run, such as a warning.
public struct TelemetryEvent: Sendable, Codable, Equatable {
    /// The severity of an event.
    public enum Severity: String, Sendable, Codable, Equatable {
        /// An informational event.
        case info
        /// A condition that requires attention.
        case warning
        /// A failure.
        case error
    }

    /// The time since the start of the run, in seconds.
    public var time: Double
    /// The severity of the event.
    public var severity: Severity
    /// A one-line description of the event.
    public var message: String

    /// Creates an event.
    public init(time: Double, severity: Severity = .info, message: String) {
        self.time = time
        self.severity = severity
        self.message = message
    }
}

/// The state of a running workload and of its database at one moment.
public struct Sample: Sendable, Codable, Equatable {
    /// The zero-based number of the sample in its run.
    public var sequence: Int
    /// The time since the start of the run, including the warm-up, in seconds.
    public var time: Double
    /// The name of the scenario.
    public var scenario: String
    /// The name of the running arm.
    public var arm: String
    /// All arms that the scenario declares, in order.
    public var arms: [String]
    /// The name of the current phase.
    public var phase: String
    /// The state of the run.
    public var state: RunState
    /// The planned duration of the run, in seconds, or `nil` if it is unlimited.
    public var plannedDuration: Double?
    /// The status of the database.
    public var database: DatabaseStatus
    /// The statuses of the clients, in the order of the scenario.
    public var clients: [ClientStatus]
    /// The time-weighted mean number of readers in use since the last sample, as a share of the
    /// maximum, from 0 to 1, or `nil` for a queue.
    public var utilization: Double?
    /// The share of time since the last sample, from 0 to 1, during which all readers were in use
    /// and at least one access waited.
    public var saturation: Double?
    /// The events since the last sample.
    public var events: [TelemetryEvent]
    /// The load's current settings, or `nil` if the load cannot be changed.
    public var settings: LoadSettings?
    /// Whether the load is in a measured phase, or `nil` if unknown.
    public var isMeasured: Bool?
    /// The attached program, or `nil` for a run.
    package var program: ProgramStatus?

    private enum CodingKeys: String, CodingKey {
        case sequence, time, scenario, arm, arms, phase, state, plannedDuration, database, clients
        case utilization, saturation, events, isMeasured, program
        // The name of the key in recordings of 0.2.0.
        case settings = "knobs"
    }

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
        settings: LoadSettings? = nil
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
        self.settings = settings
    }
}

/// A parameter of the load that can be changed during a run.
public enum LoadSetting: Sendable, Codable, Hashable {
    /// The number of active workers of a client, from 0 to 1000.
    ///
    /// Excess workers complete their current access and then pause. If a client has no active
    /// workers, its arrivals wait.
    case workers(client: String, count: Int)
    /// The arrival rate of a client, in accesses/s, or `nil` for the value in the scenario.
    case rate(client: String, perSecond: Double?)
    /// A factor for all arrival rates, from 0 to 1000.
    ///
    /// The value 1 means the scenario's rates.
    case rateFactor(Double)
    /// The share of the load that writes, from 0 to 1, or `nil` for the value in the scenario.
    ///
    /// For clients with a schedule, the share is measured in arrivals per second. For other
    /// clients, the share is measured in workers. Changing the share preserves the total arrival
    /// rate and the total number of workers. In a mix, the weights of the operations change. The
    /// share does not affect clients that have no operations, such as clients that only hold a
    /// connection, import rows, or take snapshots.
    case writeShare(Double?)
    /// The duration of a client's holds or snapshots, in seconds, or `nil` for the value in the
    /// scenario.
    ///
    /// The new duration also applies to holds in progress.
    case holdTime(client: String, seconds: Double?)
}

/// The current settings of a running load.
public struct LoadSettings: Sendable, Codable, Equatable {
    /// The settings of a client.
    public struct Client: Sendable, Codable, Equatable {
        /// The name of the client in the scenario.
        public var name: String
        /// The number of active workers.
        public var workers: Int
        /// The current arrival rate, in accesses/s, including all factors, or `nil` in a closed
        /// loop.
        public var rate: Double?
        /// The duration of a hold or a snapshot, in seconds, or `nil` for clients that make neither
        /// holds nor snapshots.
        public var holdSeconds: Double?
        /// The share of the client's accesses that write, from 0 to 1, or `nil` if the client has
        /// no operations.
        public var writeShare: Double?

        /// Creates the settings of a client.
        public init(
            name: String,
            workers: Int,
            rate: Double? = nil,
            holdSeconds: Double? = nil,
            writeShare: Double? = nil
        ) {
            self.name = name
            self.workers = workers
            self.rate = rate
            self.holdSeconds = holdSeconds
            self.writeShare = writeShare
        }
    }

    /// The factor for all arrival rates.
    public var rateFactor: Double
    /// The share of the load that writes, from 0 to 1, as in ``LoadSetting/writeShare(_:)``, or `nil`
    /// if the share is fixed because no client reads or no client writes.
    public var writeShare: Double?
    /// The clients, in the order of the scenario.
    public var clients: [Client]

    /// Creates the settings of a load.
    public init(rateFactor: Double = 1, writeShare: Double? = nil, clients: [Client] = []) {
        self.rateFactor = rateFactor
        self.writeShare = writeShare
        self.clients = clients
    }
}

/// The time that a client's recent slow accesses spent in each phase, and the clients that held
/// connections while the accesses waited.
public struct SlowSplit: Sendable, Codable, Equatable {
    /// A client that held connections during the waits.
    public struct Holder: Sendable, Codable, Equatable {
        /// The name of the client.
        public var client: String
        /// The average number of connections that the client held during the waits.
        public var held: Double

        /// Creates a holder.
        public init(client: String, held: Double) {
            self.client = client
            self.held = held
        }
    }

    /// The minimum response time of the included accesses, as a percentile such as `p99`, or `max`
    /// if there were too few accesses for a percentile.
    public var beyond: String
    /// The number of included accesses.
    public var accesses: Int
    /// The average time from the scheduled start to the actual start, in nanoseconds.
    ///
    /// During this time, no worker was free.
    public var queued: UInt64
    /// The average time from the start of an access to the start of its closure, in nanoseconds.
    public var waited: UInt64
    /// The average time inside the closure, in nanoseconds.
    public var service: UInt64
    /// The resource that the accesses waited for (`reader`, `writer`, or `connection`), or `nil` if
    /// each access has its own connection.
    public var resource: String?
    /// The number of connections of the ``resource``, or `nil` if unknown.
    public var capacity: Int?
    /// The clients that held these connections during the waits, largest share first.
    public var holders: [Holder]

    /// Creates a split from durations in nanoseconds.
    public init(
        beyond: String,
        accesses: Int,
        queued: UInt64 = 0,
        waited: UInt64 = 0,
        service: UInt64 = 0,
        resource: String? = nil,
        capacity: Int? = nil,
        holders: [Holder] = []
    ) {
        self.beyond = beyond
        self.accesses = accesses
        self.queued = queued
        self.waited = waited
        self.service = service
        self.resource = resource
        self.capacity = capacity
        self.holders = holders
    }

    /// The mean response time, in nanoseconds.
    public var response: UInt64 { queued &+ waited &+ service }
}

/// The status of a program to which a display is attached.
package struct ProgramStatus: Sendable, Codable, Equatable {
    /// The process ID.
    package var process: Int32
    /// Whether the program responds.
    package var isConnected: Bool
    /// Whether clients may interrupt statements and request checkpoints.
    package var allowsControl: Bool

    /// Creates a status.
    package init(process: Int32, isConnected: Bool = true, allowsControl: Bool = false) {
        self.process = process
        self.isConnected = isConnected
        self.allowsControl = allowsControl
    }
}

extension DatabaseStatus {
    /// Whether the program does not report its connections.
    ///
    /// The program reports none although an open database has at least one connection.
    package var hidesConnections: Bool { connections.isEmpty && !isClosed }

    /// Whether the program does not report waits.
    ///
    /// A program that reports waits reports at least their number or their durations.
    package var hidesWaits: Bool {
        oldestWaiterNanoseconds == nil && acquire == nil && writerAcquire == nil
            && waitingReadersPeak == nil && waitingWritersPeak == nil && !isClosed
    }
}

extension Sample {
    /// Whether the attached program does not report its connections.
    package var hidesConnections: Bool { program != nil && database.hidesConnections }

    /// Whether the attached program does not report waits.
    package var hidesWaits: Bool { program != nil && database.hidesWaits }
}
