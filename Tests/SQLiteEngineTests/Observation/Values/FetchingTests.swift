import Dispatch
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the rounds of fetches.
@Suite(.timeLimit(.minutes(1)))
struct FetchingTests {
    private let folder = TemporaryFolder()

    private final class FetchedMember: ObservedMember {
        let fetches = Lock(0)

        func fetch(_ db: Result<Database, any Error>, after commits: UInt64) {
            fetches.withLock { $0 += 1 }
        }
    }

    @Test func observedCommitsAreNotFetchedAgain() throws {
        let writers: [any ObservedDatabase] = [
            try DatabaseQueue.withTable(), try DatabasePool.withTable(in: folder),
        ]
        for writer in writers {
            let values = CollectedLines()
            let value = ObservedValue(
                ValueObservation.tracking { db in try db.rowCount() ?? -1 },
                in: writer,
                scheduling: .async(onQueue: DispatchQueue(label: "notifications")),
                onError: { values.append("error: \($0)") },
                onChange: { values.append("\($0)") }
            )
            value.start()
            try eventually { values.all == ["0"] }
            let hub = writer.observationHub
            // Commits are counted from this point.
            try eventually { hub.state.withLock { $0.isInstalled } }
            try writer.writeWithoutTransaction { db in try db.insert(1) }
            try eventually { values.all == ["0", "1"] }
            try eventually { hub.fetcher.withLock { !$0.isActive } }
            // The last fetch already shows the commit that this request concerns.
            let needsFetch = hub.state.withLock { state in
                state.dirty.request(Observed(value))
                return state.dirty.hasWork
            }
            #expect(!needsFetch)
            value.cancel()
        }
    }

    /// A commit that follows a long round need not wake the fetcher.
    @Test func theFetcherStaysActiveAfterALongRound() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let hub = pool.observationHub
        // A fetch that is preempted is still classified as quick.
        hub.quickFetch.store(.max, ordering: .relaxed)
        hub.fetcherIdleTimeout.store(60_000_000_000, ordering: .relaxed)
        let values = CollectedLines()
        let cancellable = ValueObservation.trackingConstantRegion { db in
            let begin = monotonicNanoseconds()
            while monotonicNanoseconds() - begin < EngineTimings.shortestFetchPause {}
            return try db.rowCount() ?? -1
        }
        .start(
            in: pool,
            scheduling: .async(onQueue: DispatchQueue(label: "notifications")),
            onError: { values.append("error: \($0)") },
            onChange: { values.append("\($0)") }
        )
        try eventually { values.all == ["0"] && hub.state.withLock { $0.isInstalled } }
        try pool.write { try $0.insert(1) }
        try eventually { values.all == ["0", "1"] }
        let end = monotonicNanoseconds() + 2 * EngineTimings.fetcherIdleTimeout
        try eventually { monotonicNanoseconds() > end }
        #expect(hub.fetcher.withLock { $0.isActive })
        // The active fetcher finds later commits.
        try pool.write { try $0.insert(2) }
        try eventually { values.all == ["0", "1", "2"] }
        cancellable.cancel()
        hub.fetcherIdleTimeout.store(0, ordering: .relaxed)
        try eventually { hub.fetcher.withLock { !$0.isActive } }
    }

    @Test func anEndedMemberIsNotFetched() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let hub = pool.observationHub
        let (ended, other) = (FetchedMember(), FetchedMember())
        for member in [ended, other] {
            hub.watch(.fullDatabase, for: member, of: pool, mayBeWriting: false)
            hub.endFetch(member, showing: nil)
        }
        // Both members are marked before the fetcher starts.
        hub.state.withLock { state in
            state.dirty.request(Observed(ended))
            state.dirty.request(Observed(other))
        }
        hub.unwatch(ended)
        hub.update { _ in }
        try eventually { other.fetches.withLock { $0 } == 1 }
        #expect(ended.fetches.withLock { $0 } == 0)
        #expect(try pool.rowCount() == 0)
    }
}
