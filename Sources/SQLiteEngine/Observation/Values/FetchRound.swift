import Synchronization
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Fetches the values of many observations, one after another, in one access.
///
/// A separate access for each value would cost more than the fetch itself: a thread switch, a
/// transaction, and a connection that other accesses could use. A value with a slow previous fetch
/// still uses a separate access, so the other values do not wait for it.
struct FetchRound: Sendable {
    private static var site: AccessSite { AccessSite(AccessLabel("ValueObservation")) }

    /// The queue that delivers values, separate from the queues of the connections.
    private static let deliveryQueue = DispatchQueue(
        label: "SQLiteEngine.observation.values",
        qos: .userInitiated,
        attributes: .concurrent
    )

    private let members: ArraySlice<any ObservedMember>
    private let hub: ObservationHub
    private let usesReaders: Bool
    /// Whether the round fetches all quick values together, rather than one slow value.
    private let isShared: Bool

    /// Starts the fetches of members that have returned `true` from
    /// ``ObservedMember/beginFetch()``.
    static func start(for members: [any ObservedMember], hub: ObservationHub) {
        var (onReaders, onWriter): ([any ObservedMember], [any ObservedMember]) = ([], [])
        for member in members {
            // Read `isQuick` once, because a fetch may change its value at any time.
            if !member.isQuick {
                FetchRound([member], hub, usesReaders: member.usesReaders, isShared: false).start()
            } else if member.usesReaders {
                onReaders.append(member)
            } else {
                onWriter.append(member)
            }
        }
        FetchRound(onWriter[...], hub, usesReaders: false, isShared: true).start()
        FetchRound(onReaders[...], hub, usesReaders: true, isShared: true).start()
    }

    private init(
        _ members: ArraySlice<any ObservedMember>,
        _ hub: ObservationHub,
        usesReaders: Bool,
        isShared: Bool
    ) {
        self.members = members
        self.hub = hub
        self.usesReaders = usesReaders
        self.isShared = isShared
    }

    /// Starts the fetches.
    ///
    /// - Parameter isOnThread: Whether the fetches may run on this thread, which holds no
    ///   connection.
    private func start(isOnThread: Bool = true) {
        // An ended member no longer retains a database.
        guard let database = firstDatabase else { return }
        guard usesReaders else {
            database.asyncWriteWithoutTransaction(at: Self.site) { db in
                end(fetch(.success(db), after: nil), isOnConnection: true)
            }
            return
        }
        // Load the count before the reader captures its state, which may not include later commits.
        let commits = hub.commits.load(ordering: .sequentiallyConsistent)
        // Fetch on this thread if a reader is free, because each thread switch costs processor time
        // that a writer could use. Long fetches use another thread, so they do not block this
        // thread's next round.
        var finished: RoundInProgress?
        if isShared, isOnThread,
            database.readIfFree(at: Self.site, { finished = fetch(.success($0), after: commits) }),
            let finished
        {
            end(finished, isOnConnection: false)
            return
        }
        database.asyncRead(at: Self.site) { db in
            end(fetch(db, after: commits), isOnConnection: true)
        }
    }

    /// The database, from the first member that still retains it.
    ///
    /// The loop reads each member's property once. A lazy sequence would read it twice, and the
    /// second value could be `nil` because the member ended between the two reads.
    private var firstDatabase: (any ObservedDatabase)? {
        for member in members {
            if let database = member.database { return database }
        }
        return nil
    }

    private func fetch(
        _ db: Result<Database, any Error>,
        after commits: UInt64?
    ) -> RoundInProgress {
        let round = RoundInProgress(members)
        // While this round holds the writer, no other thread could continue.
        let isWatched = usesReaders && members.count > 1
        if isWatched { hub.didBegin(round) }
        defer { if isWatched { hub.didEnd(round) } }
        let longest = hub.longestRound.load(ordering: .relaxed)
        while let member = round.next() {
            // No other thread commits while this thread holds the writer. A fetch on the writer
            // therefore shows all commits counted so far.
            let shown = commits ?? hub.commits.load(ordering: .sequentiallyConsistent)
            member.fetch(db, after: shown)
            round.didFetch(member, isWantedAgain: member.endFetch())
            if monotonicNanoseconds() - round.begin > longest { break }
            // A user's closure may have ended the round's transaction.
            if usesReaders, let db = try? db.get(), !db.isInsideTransaction { break }
        }
        return round
    }

    private func end(_ round: RoundInProgress, isOnConnection: Bool) {
        proceed(with: round.takeRemaining(), isOnConnection: isOnConnection)
        if isShared { hub.didFetch(in: monotonicNanoseconds() - round.begin) }
    }

    /// Continues with the remaining members of a round while one of its fetches is still running.
    ///
    /// Call this method from any thread.
    static func proceed(with remaining: RoundInProgress.Remaining, hub: ObservationHub) {
        FetchRound(remaining.waiting, hub, usesReaders: true, isShared: true)
            .proceed(with: remaining, isOnConnection: true)
    }

    /// Starts the remaining fetches, and then delivers the fetched values.
    ///
    /// The deliveries come last, because they run user closures, which may take a long time.
    private func proceed(with remaining: RoundInProgress.Remaining, isOnConnection: Bool) {
        if !remaining.again.isEmpty { hub.fetchSoon(remaining.again) }
        FetchRound(remaining.waiting, hub, usesReaders: usesReaders, isShared: isShared)
            .start(isOnThread: false)
        Self.deliver(remaining.fetched, isOnConnection: isOnConnection)
    }

    /// Delivers fetched values on a thread that holds no connection.
    static func deliver(_ members: [any ObservedMember], isOnConnection: Bool = true) {
        var (together, inTurn): ([any ObservedMember], [any ObservedMember]) = ([], [])
        for member in members {
            if !member.isDeliveryQuick {
                deliveryQueue.async { Delivery.deliver([member]) }
            } else if member.runsClosuresOnDelivery {
                inTurn.append(member)
            } else {
                together.append(member)
            }
        }
        if !inTurn.isEmpty { DeliveryTurns(inTurn).start(on: deliveryQueue) }
        guard !together.isEmpty else { return }
        if isOnConnection {
            deliveryQueue.async { [together] in Delivery.deliver(together) }
        } else {
            Delivery.deliver(together)
        }
    }
}
