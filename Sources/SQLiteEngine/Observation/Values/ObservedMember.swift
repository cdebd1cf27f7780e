/// The part of an observed value that its database's hub uses.
protocol ObservedMember: AnyObject, Sendable {
    var wantsChanges: Bool { get }
    /// Called on the writer after a commit that may have changed the value.
    func databaseDidChange()
    /// Called when notifications of changes in a region start.
    ///
    /// - Parameters:
    ///   - region: The region that the value depends on.
    ///   - isCurrent: Whether no transaction has committed since the first value was fetched.
    func didJoin(_ region: DatabaseRegion, isCurrent: Bool)

    var usesReaders: Bool { get }
    /// Whether the last fetch was short enough to share a connection with other fetches.
    var isQuick: Bool { get }
    /// The database to fetch from, or `nil` if the observation has ended.
    var database: (any ObservedDatabase)? { get }

    /// Fetches the value immediately, on the writer that has just committed.
    ///
    /// - Returns: `false` if the value must be fetched later.
    func fetch(afterCommitOn db: Database) -> Bool
    /// Requests a fetch.
    ///
    /// - Returns: Whether the caller must start a fetch.
    func beginFetch() -> Bool
    /// Fetches the value.
    ///
    /// - Parameters:
    ///   - db: A reader in its transaction, the writer outside any transaction, or the error if no
    ///     connection is available.
    ///   - commits: The number of commits before the connection captured its state.
    func fetch(_ db: Result<Database, any Error>, after commits: UInt64)
    /// Ends a fetch.
    ///
    /// - Returns: Whether the caller must start another fetch.
    func endFetch() -> Bool

    /// Starts a delivery if fetched values are pending and no thread is delivering them.
    ///
    /// - Returns: Whether the caller must deliver the values.
    func beginDelivery() -> Bool
    /// Delivers the fetched values on a thread that holds no connection.
    func deliver(through delivery: Delivery)
    /// Whether the delivery runs user closures, such as the closure of `map`.
    var runsClosuresOnDelivery: Bool { get }
    /// Ends the delivery unless more values have arrived.
    ///
    /// - Returns: Whether the delivery ended.
    func endDelivery() -> Bool
    /// Whether the last delivery was short enough for one thread to deliver many values.
    var isDeliveryQuick: Bool { get }
}
