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
/// A separate access for each value would cost more than the fetch itself. It would require a
/// thread switch, a transaction, and a connection that other accesses could use. A value whose last
/// fetch took a long time still uses a separate access, so the other values do not wait for it.
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

    /// Starts the fetches of members whose ``ObservedMember/beginFetch()`` has returned `true`.
    static func start(for members: [any ObservedMember], hub: ObservationHub) {
        var (onReaders, onWriter): ([any ObservedMember], [any ObservedMember]) = ([], [])
        for member in members {
            // Reads `isQuick` once, because its value may change as soon as a fetch has run.
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
        // Members that have since ended no longer retain a database.
        guard let database = firstDatabase else { return }
        guard usesReaders else {
            database.asyncWriteWithoutTransaction(at: Self.site) { db in
                end(fetch(.success(db), after: nil), isOnConnection: true)
            }
            return
        }
        // Loads the count before the reader captures its state, which may not include later
        // commits.
        let commits = hub.commits.load(ordering: .sequentiallyConsistent)
        // Fetches on this thread if a reader is free, because each thread switch takes processor
        // time from a writer. Long fetches use another thread so that they do not block this
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
    /// second value would be `nil` if the member ended in the meantime.
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
        // On the writer, no other thread could continue until the fetch ends.
        let isWatched = usesReaders && members.count > 1
        if isWatched { hub.didBegin(round) }
        defer { if isWatched { hub.didEnd(round) } }
        let longest = hub.longestRound.load(ordering: .relaxed)
        while let member = round.next() {
            // No other thread commits while this thread holds the writer, so a fetch on the writer
            // shows all commits that have been counted so far.
            let shown = commits ?? hub.commits.load(ordering: .sequentiallyConsistent)
            member.fetch(db, after: shown)
            round.didFetch(member, isWantedAgain: member.endFetch())
            if monotonicNanoseconds() - round.begin > longest { break }
            // A user's closure may have ended the transaction of the round.
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
    /// This method may be called on any thread.
    static func proceed(with remaining: RoundInProgress.Remaining, hub: ObservationHub) {
        FetchRound(remaining.waiting, hub, usesReaders: true, isShared: true)
            .proceed(with: remaining, isOnConnection: true)
    }

    /// Starts the remaining fetches, and then delivers the fetched values.
    ///
    /// The order is important, because deliveries run user closures, which may take a long time.
    private func proceed(with remaining: RoundInProgress.Remaining, isOnConnection: Bool) {
        if !remaining.again.isEmpty { hub.fetchSoon(remaining.again) }
        FetchRound(remaining.waiting, hub, usesReaders: usesReaders, isShared: isShared)
            .start(isOnThread: false)
        Self.deliver(remaining.fetched, isOnConnection: isOnConnection)
    }

    /// Delivers fetched values, on a thread that holds no connection.
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
