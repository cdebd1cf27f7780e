/// A value that is observed, as the hub of its database sees it.
protocol ObservedMember: AnyObject, Sendable {
    /// Whether ``databaseDidChange()`` is of any use.
    var wantsChanges: Bool { get }
    /// Something was committed that may have changed the value; called on the writer.
    func databaseDidChange()
    /// From now on it is told of the changes of a region.
    ///
    /// - Parameters:
    ///   - region: The region.
    ///   - isCurrent: Whether nothing was committed since the first value was fetched.
    func didJoin(_ region: DatabaseRegion, isCurrent: Bool)

    /// Whether it is fetched beside the writer.
    var usesReaders: Bool { get }
    /// Whether its last fetch was so short that it can share a connection with others.
    var isQuick: Bool { get }
    /// Where it is fetched; nil when the observation is over.
    var database: (any ObservedDatabase)? { get }

    /// Fetches the value at once, on the writer that has just committed.
    ///
    /// - Returns: Whether it did; otherwise it has to be fetched later.
    func fetch(afterCommitOn db: Database) -> Bool
    /// Remembers that the value has to be fetched again.
    ///
    /// - Returns: Whether no fetch runs. The caller must start one then.
    func beginFetch() -> Bool
    /// Fetches.
    ///
    /// - Parameters:
    ///   - db: A connection: a reader in its transaction, or the writer outside any; or the
    ///     error that there is none.
    ///   - commits: How many commits there were before the connection took its state.
    func fetch(_ db: Result<Database, any Error>, after commits: UInt64)
    /// Ends a fetch; returns whether another one was remembered. The caller must see to it then.
    func endFetch() -> Bool

    /// Whether what was fetched waits to be told, and nobody does it; the caller must then.
    func beginTelling() -> Bool
    /// Tells what was fetched; called on no connection.
    func tell(through delivery: Delivery)
    /// Whether telling runs closures of the user, such as those of `map`.
    var runsClosuresToTell: Bool { get }
    /// Ends the telling, unless more has come; returns whether it did.
    func endTelling() -> Bool
    /// Whether telling took so little the last time that one thread can do it for many.
    var isTellingQuick: Bool { get }
}
