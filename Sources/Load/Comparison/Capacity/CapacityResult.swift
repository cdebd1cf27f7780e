import WorkloadEngine

/// The result of a capacity search (`poolgauge.capacity/1`).
///
/// Rates are in accesses/s, latencies are in nanoseconds, and durations are in seconds.
package struct CapacityResult: Sendable, Codable, Equatable {
    /// The schema's identifier.
    package static let schemaName = "poolgauge.capacity/1"

    /// The schema's identifier, ``schemaName``.
    package var schema: String
    /// The scenario's name.
    package var scenario: String
    /// The seed of all random choices.
    package var seed: UInt64
    /// The machine and the versions.
    package var environment: HostEnvironment
    /// Whether the search ended before completion.
    package var partial: Bool
    /// The reason that the search ended early, or `nil` if it was complete.
    package var partialReason: String?
    /// The load that the search varied.
    package var load: Load
    /// The criteria that a sustained rate must meet.
    package var criteria: [String]
    /// The relative precision of the capacities.
    package var precision: Double
    /// The lengths of the measured parts of short and long runs.
    package var runSeconds: RunSeconds
    /// The capacity of each arm, with one entry for each reader count of a pool.
    package var arms: [ArmCapacity]
    /// Each arm's journal mode and `synchronous` setting, keyed by name, or `nil` if no arm ran.
    package var settings: [String: String]?
    /// The smallest number of readers with which each pool sustains the requested rate, or `nil`
    /// if no rate was requested.
    package var readers: [ReadersNeeded]?
    /// The outcomes at shares of the slowest arm's capacity, or `nil` if a capacity is unknown.
    package var equalLoads: [EqualLoad]?

    /// The load that the search varied.
    package struct Load: Sendable, Codable, Equatable {
        /// The origin of the arrivals.
        package var origin: OfferedLoad.Origin
        /// The clients whose rates the search varied.
        package var clients: [OfferedLoad.Part]
        /// The clients with an unchanged load.
        package var background: [String]
        /// A sentence that describes the load.
        package var sentence: String
    }

    /// The lengths of runs, in seconds.
    package struct RunSeconds: Sendable, Codable, Equatable {
        /// The length of search runs.
        package var short: Double
        /// The length of confirmation runs and of runs at equal load.
        package var long: Double
    }

    /// A run at one rate.
    package struct Trial: Sendable, Codable, Equatable {
        /// The rate, in arrivals per second.
        package var rate: Double
        /// Whether this was a long run.
        package var long: Bool
        /// Whether the run met all criteria, or `nil` if the generator could not produce the rate
        /// or there were too few samples.
        package var met: Bool?
        /// The reason that the run did not meet all criteria, if any.
        package var reason: String?
        /// Whether there were too few samples to decide, or `nil` if there were enough.
        package var undecided: Bool?
    }

    /// The capacity of an arm.
    package struct ArmCapacity: Sendable, Codable, Equatable {
        /// The arm's name.
        package var arm: String
        /// The pool's `maximumReaderCount`, if the search varied it.
        package var readers: Int?
        /// The highest sustained rate, or `nil` if no rate was sustained.
        package var capacity: Double?
        /// Whether a long run passed at the capacity.
        package var confirmed: Bool
        /// A slightly higher rate at which a run failed, if any.
        package var failsAt: Double?
        /// Whether a long run failed at ``failsAt``.
        package var failureConfirmed: Bool
        /// The missed criterion at ``failsAt``.
        package var failure: String?
        /// Whether the capacity is a lower bound, because the search ended at the generator's
        /// limit.
        package var lowerBound: Bool
        /// The reason that even the lowest rates miss the criteria, or `nil` if a rate may meet
        /// them.
        package var noneAtAnyRate: String?
        /// The reason that the search has no answer, if any.
        package var unanswered: String?
        /// The clients that this arm cannot run, with the reasons, or `nil` if there are none.
        package var unsupported: [String: String]?
        /// All runs, in order.
        package var trials: [Trial]

        var isOpen: Bool { capacity == nil && noneAtAnyRate == nil && unanswered == nil }

        /// The arm's name, with its number of readers if the search varied it.
        package var title: String { readers.map { "\(arm), readers \($0)" } ?? arm }
    }

    /// The smallest number of readers that sustains a rate.
    package struct ReadersNeeded: Sendable, Codable, Equatable {
        /// The pool's name.
        package var arm: String
        /// The rate, in arrivals per second.
        package var rate: Double
        /// The candidate numbers of readers.
        package var candidates: [Int]
        /// The smallest number that sustains the rate, or `nil` if none does.
        package var smallest: Int?
        /// The reason that the next smaller number does not sustain the rate, or `nil` if that
        /// number was not tried.
        ///
        /// If no number suffices, the reason applies to the largest number.
        package var failure: String?
    }

    /// The outcomes of the same load on every arm.
    package struct EqualLoad: Sendable, Codable, Equatable {
        /// The rate as a share of the slowest arm's capacity, from 0 to 1.
        package var share: Double
        /// The rate, in arrivals per second.
        package var rate: Double
        /// The outcome on each arm.
        package var arms: [Arm]

        /// The outcome on one arm.
        package struct Arm: Sendable, Codable, Equatable {
            /// The arm's name, with its number of readers if the search varied it.
            package var arm: String
            /// The response times, from intended start to end, of each client whose rate the search
            /// varied, keyed by the client's name.
            package var response: [String: Latency]
            /// The reason that the run did not meet all criteria, if any.
            package var missed: String?
            /// Whether the generator was the bottleneck.
            package var invalid: Bool?
        }

        /// The compared values of a client's latency.
        package struct Latency: Sendable, Codable, Equatable {
            /// The median, or `nil` if fewer than ten samples exceed it.
            package var p50: UInt64?
            /// The 99th percentile, or `nil` if fewer than ten samples exceed it.
            package var p99: UInt64?
            /// The 99.9th percentile, or `nil` if fewer than ten samples exceed it.
            package var p999: UInt64?
            /// The 99.99th percentile, or `nil` if fewer than ten samples exceed it.
            package var p9999: UInt64?
            /// The largest latency.
            package var max: UInt64

            private enum CodingKeys: String, CodingKey {
                case p50
                case p99
                case p999 = "p99.9"
                case p9999 = "p99.99"
                case max
            }
        }
    }

    /// The exit status of the command.
    package var exitStatus: ExitStatus {
        if partialReason == Self.stopped { return .interrupted }
        let unknown = arms.filter { $0.capacity == nil }
        if unknown.contains(where: { $0.unanswered == nil }) { return .thresholdMissed }
        return unknown.isEmpty ? .passed : .undecided
    }

    static let stopped = "stopped"
}
