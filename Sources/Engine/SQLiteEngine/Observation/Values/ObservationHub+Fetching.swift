import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Fetches the marked values in rounds, one round at a time.
///
/// A commit starts the fetcher only if the fetcher is inactive. Starting it wakes a thread, which
/// is the most expensive part of an observed commit, especially if the scheduler runs that thread
/// on the writer's processor. After a long round, the fetcher therefore stays active and wakes when
/// a timeout expires. The commits during its pause share the next round.
///
/// A round fetches all quick values in one access. A separate access for each value would cost more
/// than the fetch, because the access requires a thread switch, a transaction, and a connection
/// that other accesses could use. A value whose previous fetch was slow uses a separate access.
///
/// If a previously quick fetch takes a long time, another round on another thread takes over the
/// remaining values. The marked values are in the ``DirtySet`` and belong to no thread, so the
/// first round has nothing to hand over.
extension ObservationHub {
    struct Fetcher {
        var log = CommitLog()
        /// The queue on which the fetcher runs.
        ///
        /// The queue is serial, because the system provides a thread for a serial queue even while
        /// other queues are blocked.
        var queue = Self.makeQueue()
        /// Whether a round is scheduled or running.
        var isActive = false
        /// Whether a check of the running round is scheduled.
        var isCheckScheduled = false

        /// Makes the fetcher active, unless it already is.
        ///
        /// - Returns: The queue on which the caller must start a round.
        mutating func activate() -> DispatchQueue? {
            if isActive { return nil }
            isActive = true
            return queue
        }

        static func makeQueue() -> DispatchQueue {
            DispatchQueue(label: "SQLiteEngine.observation", qos: .userInitiated)
        }
    }

    static var site: AccessSite { AccessSite(AccessLabel("ValueObservation")) }

    /// The queue that checks the rounds of all databases.
    private static let checkQueue = DispatchQueue(label: "SQLiteEngine.observation.checking")

    /// Requests a fetch that reflects all commits counted so far.
    func request(_ member: any ObservedMember) {
        update { $0.dirty.request(Observed(member)) }
    }

    /// Ends a fetch that is not part of a round, and starts the next fetch if one was requested.
    func endFetch(_ member: any ObservedMember, showing commit: UInt64?) {
        let isShared = sharesAccess(member)
        update {
            $0.dirty.endFetch(Observed(member), showing: commit, isShared: isShared)
        }
    }

    private func sharesAccess(_ member: any ObservedMember) -> Bool {
        // A round on the writer ends after a slow fetch. The next round fetches the other values.
        hasReaders ? member.usesReaders && member.isQuick : true
    }

    /// Runs a round, or makes the fetcher inactive if no value is marked.
    ///
    /// - Parameter previousStart: The start time of the previous round if this round continues it.
    func runRound(since previousStart: UInt64? = nil) {
        let next: (database: (any ObservedDatabase)?, queue: DispatchQueue)? = update { state in
            fetcher.withLock { fetcher in
                // A commit may have changed regions since the state applied all commits.
                fetcher.isActive = state.dirty.hasWork || !fetcher.log.changes.isEmpty
                guard fetcher.isActive else { return nil }
                return (state.database, fetcher.queue)
            }
        }
        // If the database was released, all observations have ended.
        guard let (database, queue) = next, let database else { return }
        guard hasReaders else {
            database.asyncWriteWithoutTransaction(at: Self.site) { [self] db in
                let start = previousStart ?? monotonicNanoseconds()
                let round = beginRound(of: database)
                fetch(round, in: .success(db))
                queue.async { self.end(round, start: start) }
            }
            return
        }
        let round = beginRound(of: database)
        // Fetches on this thread if a reader is free, because each thread switch costs processor
        // time that a writer could use.
        let start = previousStart ?? monotonicNanoseconds()
        if round.isEmpty || database.readIfFree(at: Self.site, { fetch(round, in: .success($0)) }) {
            end(round, start: start)
            return
        }
        database.asyncRead(at: Self.site) { [self] db in
            let start = previousStart ?? monotonicNanoseconds()
            fetch(round, in: db)
            queue.async { self.end(round, start: start) }
        }
    }

    private func beginRound(of database: any ObservedDatabase) -> DirtySet<Observed>.Round {
        let round = update { $0.dirty.beginRound() }
        for observed in round.separate {
            fetchSeparately(observed.member, after: round.commits, in: database)
        }
        return round
    }

    private func fetchSeparately(
        _ member: any ObservedMember,
        after commits: UInt64,
        in database: any ObservedDatabase
    ) {
        @Sendable func fetch(_ db: Result<Database, any Error>, after commits: UInt64) {
            member.fetch(db, after: commits)
            Delivery.deliver([member])
            endFetch(member, showing: commits)
        }
        if member.usesReaders {
            database.asyncRead(at: Self.site) { fetch($0, after: commits) }
        } else {
            database.asyncWriteWithoutTransaction(at: Self.site) { [self] db in
                fetch(.success(db), after: self.commits)
            }
        }
    }

    private func fetch(_ round: DirtySet<Observed>.Round, in db: Result<Database, any Error>) {
        checkLater()
        let start = monotonicNanoseconds()
        let longest = longestRound.load(ordering: .relaxed)
        var now = start
        repeat {
            let next: (observed: Observed, commits: UInt64)? = state.withLock { [hasReaders] in
                // No other thread commits while this thread holds the writer. A fetch on the writer
                // therefore reflects all commits counted so far.
                let commits = hasReaders ? round.commits : $0.dirty.commits
                return $0.dirty.next(in: round.number, showing: commits, at: now)
                    .map { ($0, commits) }
            }
            guard let (observed, commits) = next else { return }
            observed.member.fetch(db, after: commits)
            let isShared = sharesAccess(observed.member)
            state.withLock {
                $0.dirty.endFetch(observed, showing: commits, isShared: isShared, in: round.number)
            }
            // A user's closure may have ended the round's transaction.
            if hasReaders, let db = try? db.get(), !db.isInsideTransaction { return }
            now = monotonicNanoseconds()
        } while now - start <= longest
    }

    /// Delivers the round's values, and schedules the next round.
    ///
    /// The next round continues an unfinished round immediately. Otherwise, the fetcher pauses
    /// after a long round. Without the pause, continuous commits could cause continuous fetches of
    /// many values. The pause does not retain the database.
    private func end(_ round: DirtySet<Observed>.Round, start: UInt64) {
        let pause = min(3 * (monotonicNanoseconds() - start), EngineTimings.longestFetchPause)
        let (fetched, next, isUnfinished) = state.withLock { state in
            let isCurrent = state.dirty.isCurrent(round.number)
            let queue = isCurrent ? fetcher.withLock { $0.queue } : nil
            return (state.dirty.takeFetched(), queue, state.dirty.isUnfinished)
        }
        Delivery.deliver(fetched.map(\.member))
        guard let next else {
            // The last fetch may have been requested again after the other rounds ended.
            update { _ in }
            return
        }
        if isUnfinished {
            next.async { self.runRound(since: start) }
        } else if pause < EngineTimings.shortestFetchPause {
            next.async { self.runRound() }
        } else {
            next.async {
                self.waitForWork(after: pause)
                self.runRound()
            }
        }
    }

    /// Pauses, and then waits for work for at most ``EngineTimings/fetcherIdleTimeout``.
    private func waitForWork(after pause: UInt64) {
        let start = monotonicNanoseconds()
        var deadline = start + max(pause, EngineTimings.fetcherCheck)
        while true {
            parker.park(until: deadline)
            let now = monotonicNanoseconds()
            if hasWork || now - start >= fetcherIdleTimeout.load(ordering: .relaxed) { return }
            deadline = now + EngineTimings.fetcherCheck
        }
    }

    private var hasWork: Bool {
        state.withLock { state in
            state.dirty.hasWork || fetcher.withLock { !$0.log.changes.isEmpty }
        }
    }

    // MARK: Blocked rounds

    private func checkLater() {
        let mustStart = fetcher.withLock { fetcher in
            defer { fetcher.isCheckScheduled = true }
            return !fetcher.isCheckScheduled
        }
        guard mustStart else { return }
        let timeout = DispatchTimeInterval.nanoseconds(Int(EngineTimings.roundTimeout))
        Self.checkQueue.asyncAfter(deadline: .now() + timeout) {
            self.check(at: monotonicNanoseconds())
            self.fetcher.withLock { $0.isCheckScheduled = false }
            // A round that starts later schedules its own check.
            if self.state.withLock({ $0.dirty.isRoundRunning }) { self.checkLater() }
        }
    }

    /// Delivers the values that a round has fetched before a long fetch, and fetches the remaining
    /// values in a new round.
    ///
    /// One reader stays free, because the running fetches may be waiting for an access that must
    /// read. A round on the writer has no successor, because the writer runs one access at a time.
    func check(at instant: UInt64) {
        let start = instant - EngineTimings.roundTimeout
        guard state.withLock({ $0.dirty.isFetching(sinceBefore: start) }) else { return }
        let mayContinue = freeReaders() > 1
        let (fetched, queue): ([Observed], DispatchQueue?) = update { state in
            let fetched = state.dirty.takeFetched()
            guard mayContinue, state.dirty.hasWork, state.dirty.isFetching(sinceBefore: start)
            else { return (fetched, nil) }
            state.dirty.replaceRound()
            // The long fetch may block the fetcher's queue.
            let queue = Fetcher.makeQueue()
            fetcher.withLock { $0.queue = queue }
            return (fetched, queue)
        }
        Delivery.deliver(fetched.map(\.member))
        queue?.async { self.runRound() }
    }
}
