/// What a search for capacities found (`poolgauge.capacity/1`).
///
/// Rates are in accesses/s, latencies in nanoseconds, durations in seconds.
public struct CapacityResult: Sendable, Codable, Equatable {
    /// The schema of this form.
    public static let schemaName = "poolgauge.capacity/1"

    /// `poolgauge.capacity/1`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The seed of all randomness.
    public var seed: UInt64
    /// Where it ran.
    public var environment: HostEnvironment
    /// Whether it ended before all was known.
    public var partial: Bool
    /// Why it did; absent when it did not.
    public var partialReason: String?
    /// Which clients' rate was turned.
    public var load: Load
    /// What had to hold for a rate to count as sustained.
    public var criteria: [String]
    /// The relative distance within which a capacity was searched.
    public var precision: Double
    /// How long the measured part of short and of long runs lasted.
    public var runSeconds: RunSeconds
    /// The capacity of each arm; of a pool, for each number of readers that was asked for.
    public var arms: [ArmCapacity]
    /// The journal mode and `synchronous` of each arm, by name; absent where no arm ran.
    public var settings: [String: String]?
    /// The smallest numbers of readers that sustain a rate; absent when no rate was given.
    public var readers: [ReadersNeeded]?
    /// The same loads on every arm: shares of the slower arm's capacity; absent when not known.
    public var equalLoads: [EqualLoad]?

    /// Which clients' rate was turned.
    public struct Load: Sendable, Codable, Equatable {
        /// Where the arrivals come from.
        public var origin: OfferedLoad.Origin
        /// The clients that arrive.
        public var clients: [OfferedLoad.Part]
        /// The clients that stay as they are.
        public var background: [String]
        /// What was done, in a sentence.
        public var sentence: String
    }

    /// Lengths of runs.
    public struct RunSeconds: Sendable, Codable, Equatable {
        /// Of those that search.
        public var short: Double
        /// Of those that confirm, and of those at equal load.
        public var long: Double
    }

    /// One run at a rate.
    public struct Trial: Sendable, Codable, Equatable {
        /// Arrivals per second.
        public var rate: Double
        /// Whether it was a long run.
        public var long: Bool
        /// Whether all that had to hold did; absent when the generator could not make the
        /// rate, and when there were too few samples.
        public var met: Bool?
        /// What did not hold; absent when all did.
        public var reason: String?
        /// Whether there were too few samples to know; absent when there were enough.
        public var undecided: Bool?
    }

    /// What an arm sustains.
    public struct ArmCapacity: Sendable, Codable, Equatable {
        /// The arm's name.
        public var arm: String
        /// `maximumReaderCount`, where it was swept.
        public var readers: Int?
        /// The highest rate that was sustained; absent when none was.
        public var capacity: Double?
        /// Whether a long run at that rate passed.
        public var confirmed: Bool
        /// A rate just above, at which a run failed; absent when none did.
        public var failsAt: Double?
        /// Whether a long run failed there.
        public var failureConfirmed: Bool
        /// What did not hold there.
        public var failure: String?
        /// Whether the capacity is a lower bound: the generator ended the search.
        public var lowerBound: Bool
        /// Why no rate meets the criteria, however low; absent where one may.
        public var noneAtAnyRate: String?
        /// Why there is no answer; absent where there is one.
        public var unanswered: String?
        /// The clients that this arm cannot run, with the reason; absent when there are none.
        public var unsupported: [String: String]?
        /// All runs, in their order.
        public var trials: [Trial]

        /// Whether neither a capacity nor a reason for its absence is known.
        var isOpen: Bool { capacity == nil && noneAtAnyRate == nil && unanswered == nil }

        /// The arm, with its readers where they were swept.
        public var title: String { readers.map { "\(arm), readers \($0)" } ?? arm }
    }

    /// The smallest number of readers that sustains a rate.
    public struct ReadersNeeded: Sendable, Codable, Equatable {
        /// The pool's name.
        public var arm: String
        /// Arrivals per second.
        public var rate: Double
        /// The numbers among which it was searched.
        public var candidates: [Int]
        /// The smallest that sustains the rate; absent when none does.
        public var smallest: Int?
        /// Why a smaller one, or the largest, does not; absent when it was not seen.
        public var failure: String?
    }

    /// The same load on every arm.
    public struct EqualLoad: Sendable, Codable, Equatable {
        /// The share of the slower arm's capacity, in 0…1.
        public var share: Double
        /// Arrivals per second.
        public var rate: Double
        /// What each arm made of it.
        public var arms: [Arm]

        /// What one arm made of a load.
        public struct Arm: Sendable, Codable, Equatable {
            /// The arm, with its readers where they were swept.
            public var arm: String
            /// From the intended start to the end, for each client that arrives.
            public var response: [String: Latency]
            /// What did not hold; absent when all did.
            public var missed: String?
            /// Whether the generator was the bottleneck.
            public var invalid: Bool?
        }

        /// A latency as it is compared.
        public struct Latency: Sendable, Codable, Equatable {
            /// The median; absent with fewer than ten samples beyond it.
            public var p50: UInt64?
            /// The 99th percentile; absent with fewer than ten samples beyond it.
            public var p99: UInt64?
            /// The largest.
            public var max: UInt64
        }
    }

    /// Its exit status.
    public var exitStatus: ExitStatus {
        if partialReason == Self.stopped { return .interrupted }
        let unknown = arms.filter { $0.capacity == nil }
        if unknown.contains(where: { $0.unanswered == nil }) { return .thresholdMissed }
        return unknown.isEmpty ? .passed : .undecided
    }

    /// The reason of a search that somebody stopped.
    static let stopped = "stopped"
}
