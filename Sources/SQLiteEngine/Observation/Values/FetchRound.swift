import Synchronization
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Elsewhere `DispatchQueue` does not say that it is Sendable; it is.
@preconcurrency import Dispatch
#endif

/// Fetches the values of many observations, one after the other, in one access.
///
/// An access of its own for each would cost more than the fetch: a hop to another thread, a
/// transaction, a connection that somebody else could use. Values whose last fetch was long get
/// one all the same, so that the others do not wait for them.
struct FetchRound: Sendable {
    private static var site: AccessSite { AccessSite(AccessLabel("ValueObservation")) }

    /// Where values are told, apart from connections.
    private static let telling = DispatchQueue(
        label: "SQLiteEngine.observation.values",
        qos: .userInitiated,
        attributes: .concurrent
    )

    private let members: ArraySlice<any ObservedMember>
    private let hub: ObservationHub
    private let usesReaders: Bool
    /// Whether it is for all that are quick, and not for one that is not.
    private let isShared: Bool

    /// Starts the fetches of members that have begun one.
    static func start(for members: [any ObservedMember], hub: ObservationHub) {
        var (onReaders, onWriter): ([any ObservedMember], [any ObservedMember]) = ([], [])
        for member in members {
            // Asked once: the answer changes as soon as a fetch has run.
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
    /// - Parameter isOnThread: Whether they may run on this thread, which holds no connection.
    private func start(isOnThread: Bool = true) {
        // Who has ended meanwhile keeps no database any more.
        guard let database = firstDatabase else { return }
        guard usesReaders else {
            database.asyncWriteWithoutTransaction(at: Self.site) { db in
                end(fetch(.success(db), after: nil), isOnConnection: true)
            }
            return
        }
        // Before the reader takes its state: what comes later may not be in it.
        let commits = hub.commits.load(ordering: .sequentiallyConsistent)
        // Here, when a reader is free: each hop to another thread takes the processor from whoever
        // writes meanwhile. Long fetches do not keep this thread from the next round.
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

    /// The database, from the first member that keeps it still.
    ///
    /// Each is asked once: a member that ends meanwhile gives none the second time, as a lazy
    /// sequence would ask it.
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
        // On the writer nobody could go on before the fetch has ended.
        let isWatched = usesReaders && members.count > 1
        if isWatched { hub.didBegin(round) }
        defer { if isWatched { hub.didEnd(round) } }
        let longest = hub.longestRound.load(ordering: .relaxed)
        while let member = round.next() {
            // On the writer nobody else commits: what was asked for meanwhile is shown as well.
            let shown = commits ?? hub.commits.load(ordering: .sequentiallyConsistent)
            member.fetch(db, after: shown)
            round.didFetch(member, isWantedAgain: member.endFetch())
            if monotonicNanoseconds() - round.begin > longest { break }
            // A closure may end the transaction that it was given.
            if usesReaders, let db = try? db.get(), !db.isInsideTransaction { break }
        }
        return round
    }

    private func end(_ round: RoundInProgress, isOnConnection: Bool) {
        goOn(with: round.takeLeft(), isOnConnection: isOnConnection)
        if isShared { hub.didFetch(in: monotonicNanoseconds() - round.begin) }
    }

    /// Sees to what a round has left while one of its fetches lasts; called on any thread.
    static func goOn(with left: RoundInProgress.Left, hub: ObservationHub) {
        FetchRound(left.waiting, hub, usesReaders: true, isShared: true)
            .goOn(with: left, isOnConnection: true)
    }

    /// Sees to what was not fetched, and has told what was.
    ///
    /// In that order: telling runs closures of the user's, which may last.
    private func goOn(with left: RoundInProgress.Left, isOnConnection: Bool) {
        if !left.again.isEmpty { hub.fetchSoon(left.again) }
        FetchRound(left.waiting, hub, usesReaders: usesReaders, isShared: isShared)
            .start(isOnThread: false)
        Self.tell(left.fetched, isOnConnection: isOnConnection)
    }

    /// Has values told that were fetched, by a thread that holds no connection.
    static func tell(_ members: [any ObservedMember], isOnConnection: Bool = true) {
        var (together, inTurn): ([any ObservedMember], [any ObservedMember]) = ([], [])
        for member in members {
            if !member.isTellingQuick {
                telling.async { Delivery.tell([member]) }
            } else if member.runsClosuresToTell {
                inTurn.append(member)
            } else {
                together.append(member)
            }
        }
        if !inTurn.isEmpty { TellingTurns(inTurn).start(on: telling) }
        guard !together.isEmpty else { return }
        if isOnConnection {
            telling.async { [together] in Delivery.tell(together) }
        } else {
            Delivery.tell(together)
        }
    }
}
