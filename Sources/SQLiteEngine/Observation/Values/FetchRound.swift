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
    /// A fetch that took less than this, in nanoseconds, is a quick one.
    static let quick: UInt64 = 1_000_000
    /// For how long, in nanoseconds, a round keeps its connection at most.
    private static let longest: UInt64 = 2_000_000
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
        var together = [true: [any ObservedMember](), false: []]
        for member in members {
            // Asked once: the answer changes as soon as a fetch has run.
            if member.isQuick {
                together[member.usesReaders]?.append(member)
            } else {
                FetchRound(
                    members: [member],
                    hub: hub,
                    usesReaders: member.usesReaders,
                    isShared: false
                ).start()
            }
        }
        for (usesReaders, members) in together {
            FetchRound(
                members: members[...],
                hub: hub,
                usesReaders: usesReaders,
                isShared: true
            ).start()
        }
    }

    private func start() {
        // Who has ended meanwhile keeps no database any more.
        guard let database = members.lazy.compactMap(\.database).first else { return }
        // Before the reader takes its state: what comes later may not be in it.
        let commits = hub.commits.load(ordering: .sequentiallyConsistent)
        if usesReaders {
            database.asyncRead(at: Self.site) { db in run(db, after: commits) }
        } else {
            database.asyncWriteWithoutTransaction(at: Self.site) { db in
                run(.success(db), after: commits)
            }
        }
    }

    private func run(_ db: Result<Database, any Error>, after commits: UInt64) {
        let begin = monotonicNanoseconds()
        var rest = members
        var (finished, again): ([any ObservedMember], [any ObservedMember]) = ([], [])
        while let member = rest.first {
            rest.removeFirst()
            member.fetch(db, after: commits)
            finished.append(member)
            if member.endFetch() { again.append(member) }
            if monotonicNanoseconds() - begin > Self.longest { break }
            // A closure may end the transaction that it was given.
            if usesReaders, let db = try? db.get(), !db.isInsideTransaction { break }
        }
        Self.tell(finished)
        FetchRound(
            members: rest,
            hub: hub,
            usesReaders: usesReaders,
            isShared: isShared
        ).start()
        if isShared { hub.didFetch(in: monotonicNanoseconds() - begin) }
        if !again.isEmpty { hub.fetchSoon(again) }
    }

    /// Has values told that were fetched: on another thread, which holds no connection.
    static func tell(_ members: [any ObservedMember]) {
        var together: [any ObservedMember] = []
        for member in members where member.beginTelling() {
            if member.isTellingQuick {
                together.append(member)
            } else {
                telling.async { member.tell() }
            }
        }
        guard !together.isEmpty else { return }
        telling.async { [together] in
            for member in together { member.tell() }
        }
    }
}
