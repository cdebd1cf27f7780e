/// A parameter of the load that can be changed during a run.
public enum LoadKnob: Sendable, Codable, Hashable {
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
public struct LoadKnobs: Sendable, Codable, Equatable {
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
    /// The share of the load that writes, from 0 to 1, as in ``LoadKnob/writeShare(_:)``, or `nil`
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
