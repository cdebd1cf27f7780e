/// Connections with the same kind of load, and the pace of their transactions.
struct CapturedClient {
    /// When transactions start.
    enum Pace: Equatable {
        /// On a schedule of their own: at a rate, or at rates one after another, each for an equal
        /// part of the time.
        case open(rates: [Double], isEven: Bool)
        /// When the one before has ended, after a rest.
        case closed(RestModel?)
    }

    var name: String
    /// The connections, at least one.
    var connections: Set<Int>
    /// The most transactions at the same time.
    var concurrency: Int
    /// How many workers stand for its connections.
    var workers: Int
    /// How often each shape ran, by its number.
    var counts: [Int: Int]
    var pace: Pace
    /// What led to the pace and to the group, one sentence each.
    var evidence: [String]
}
