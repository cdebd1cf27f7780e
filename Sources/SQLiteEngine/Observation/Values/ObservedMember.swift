/// The part of an observed value that its database's hub uses.
protocol ObservedMember: AnyObject, Sendable {
    var receivesChanges: Bool { get }
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

    /// Whether the value may be fetched immediately, on the writer that has just committed.
    func mayFetch(afterCommitOn db: Database) -> Bool
    /// Fetches the value immediately, on the writer that has just committed.
    ///
    /// - Returns: `false` if the value must be fetched later.
    func fetch(afterCommitOn db: Database) -> Bool
    /// Fetches the value.
    ///
    /// - Parameters:
    ///   - db: A reader in its transaction, the writer outside any transaction, or the error if no
    ///     connection is available.
    ///   - commits: The number of commits before the connection captured its state.
    func fetch(_ db: Result<Database, any Error>, after commits: UInt64)

    /// Starts a delivery if fetched values are pending and no thread is delivering them.
    ///
    /// - Returns: Whether the caller must deliver the values.
    func beginDelivery() -> Bool
    /// Delivers the fetched values.
    func deliver(through delivery: inout Delivery)
    /// Whether the delivery runs user closures, such as the closure of `map`.
    var runsClosuresOnDelivery: Bool { get }
    /// Ends the delivery unless more values have arrived.
    ///
    /// - Returns: Whether the delivery ended.
    func endDelivery() -> Bool
}

/// A member as an element of a set.
struct Observed: Hashable, Sendable {
    let member: any ObservedMember

    init(_ member: any ObservedMember) { self.member = member }

    static func == (a: Observed, b: Observed) -> Bool { a.member === b.member }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(member)) }
}
