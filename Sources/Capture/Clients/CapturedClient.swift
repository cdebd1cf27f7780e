/// A group of connections with the same mix of transactions, and the pace of the transactions.
struct CapturedClient {
    /// A schedule: one rate or consecutive rates for equal periods, in transactions per second.
    struct Arrivals: Equatable {
        var rates: [Double]
        var isEven: Bool
        var evidence: String
    }

    enum Pace: Equatable {
        /// Transactions start on a schedule. Reads and writes have their own.
        case open(reads: Arrivals, writes: Arrivals)
        /// Each transaction starts after the previous one and a pause, if any.
        case closed(PauseModel?)
    }

    var name: String
    /// The numbers of the connections.
    var connections: Set<Int>
    var concurrency: Int
    /// The number of workers that represent the connections.
    var workers: Int
    /// The number of transactions of each shape, by shape number.
    var counts: [Int: Int]
    var pace: Pace
    /// The evidence for the group and the pace, one sentence each.
    var evidence: [String]
}
