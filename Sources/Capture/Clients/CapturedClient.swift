/// A group of connections with the same mix of transactions, and the pace of the transactions.
struct CapturedClient {
    enum Pace: Equatable {
        /// Transactions start on a schedule, at one rate or at consecutive rates for equal periods.
        case open(rates: [Double], isEven: Bool)
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
