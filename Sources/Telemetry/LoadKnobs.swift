/// One thing about a running load that somebody can turn.
public enum LoadKnob: Sendable, Codable, Hashable {
    /// How many workers of a client are at work, 0 to 1000.
    ///
    /// Workers that are too many end the access that they make and rest; what arrives for a client
    /// without workers waits.
    case workers(client: String, count: Int)
    /// The arrivals of a client per second, from now on; nil for what its scenario says.
    case rate(client: String, perSecond: Double?)
    /// What all rates of arrival are multiplied by, 0 to 1000; 1 is as the scenario says.
    case rateFactor(Double)
    /// The share of the load that writes, in 0…1; nil for what the scenario says.
    ///
    /// It counts in arrivals per second among clients with a schedule, and in workers among those
    /// without; the sums of both stay as they are. Operations of a mix change their weights.
    /// Clients that only hold, import, snapshot or act are left alone.
    case writeShare(Double?)
    /// How long each hold or snapshot of a client lasts, in seconds; nil for what its scenario
    /// says. What is held now ends by the new time.
    case holdTime(client: String, seconds: Double?)
}

/// Where the knobs of a running load stand.
public struct LoadKnobs: Sendable, Codable, Equatable {
    /// The knobs of one client.
    public struct Client: Sendable, Codable, Equatable {
        /// The client's name in the scenario.
        public var name: String
        /// The workers that are at work.
        public var workers: Int
        /// The rate of arrivals now, in accesses/s, with all factors; nil in a closed loop.
        public var rate: Double?
        /// How long a hold or a snapshot lasts, in seconds; nil for those who hold nothing.
        public var holdSeconds: Double?
        /// The share of its accesses that write, in 0…1; nil for a client that makes no
        /// operations.
        public var writeShare: Double?

        /// Creates the knobs of a client.
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

    /// What all rates are multiplied by.
    public var rateFactor: Double
    /// The share of the load that writes, in 0…1, as ``LoadKnob/writeShare(_:)`` counts it; nil
    /// where it cannot be turned, because nobody reads or nobody writes.
    public var writeShare: Double?
    /// The clients, in the scenario's order.
    public var clients: [Client]

    /// Creates the knobs of a load.
    public init(rateFactor: Double = 1, writeShare: Double? = nil, clients: [Client] = []) {
        self.rateFactor = rateFactor
        self.writeShare = writeShare
        self.clients = clients
    }
}
