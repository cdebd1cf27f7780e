import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Schedules the fetches of observed values after commits.
///
/// A commit only records the regions that it has changed. One thread, the *lookout*, fetches the
/// values. The writer wakes the lookout only if the lookout sleeps without a timeout. Waking
/// another thread is the most expensive part of an observed commit, especially if the scheduler
/// runs that thread on the writer's processor. Therefore, while rounds are long and commits are
/// frequent, the lookout wakes by timeout instead.
extension ObservationHub {
    struct Lookout {
        /// The queue on which the lookout runs.
        ///
        /// The queue is serial, because the system provides a thread for a serial queue even while
        /// other queues are blocked. An awake lookout therefore does not occupy one of the few
        /// threads that all concurrent queues share.
        var queue = DispatchQueue(label: "SQLiteEngine.observation", qos: .userInitiated)
        /// The number of the current lookout.
        ///
        /// A replaced lookout compares its own number with this one to detect the replacement.
        var number = 0
        var isAwake = false
        /// The time until which the lookout is expected to respond, in nanoseconds on the monotonic
        /// clock.
        ///
        /// After this time, another lookout takes over, so a long fetch does not delay other
        /// fetches.
        var trustedUntil: UInt64 = 0
        /// Whether a check of the lookout is scheduled.
        var isWatched = false
        /// The earliest start of the next round, in nanoseconds on the monotonic clock.
        var pausedUntil: UInt64 = 0
    }

    /// The queue that checks the lookouts of all databases.
    private static let watching = DispatchQueue(label: "SQLiteEngine.observation.watching")

    /// Schedules the fetches of the given values and of all values in changed regions.
    ///
    /// The caller may hold the writer, so this method starts no fetch on the caller's thread. It
    /// wakes no thread while a lookout is awake and responds in time.
    func fetchSoon(_ members: [any ObservedMember]) {
        typealias NewLookout = (number: Int, queue: DispatchQueue, delay: UInt64)
        let newLookout: NewLookout? = state.withLock { state in
            for member in members { state.waiting[ObjectIdentifier(member)] = member }
            if state.touched.isEmpty && state.waiting.isEmpty { return nil }
            if state.lookout.isAwake {
                let trustedUntil = state.lookout.trustedUntil
                if monotonicNanoseconds() < trustedUntil { return nil }
                // The old lookout blocks its queue.
                state.lookout.queue = Lookout().queue
            }
            state.lookout.number += 1
            state.lookout.isAwake = true
            state.lookout.trustedUntil = .max
            let pausedUntil = state.lookout.pausedUntil
            let now = pausedUntil == 0 ? 0 : monotonicNanoseconds()
            return (
                state.lookout.number, state.lookout.queue,
                pausedUntil > now ? pausedUntil - now : 0
            )
        }
        guard let newLookout else { return }
        if newLookout.delay == 0 {
            newLookout.queue.async { self.runLookout(newLookout.number) }
        } else {
            newLookout.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(newLookout.delay))) {
                self.runLookout(newLookout.number)
            }
        }
    }

    /// Delays the next round after a long round.
    ///
    /// Without the delay, continuous commits could cause continuous fetches of many values. The
    /// delay limits rounds to a quarter of the time, and the commits during a pause share one
    /// round. A few quick fetches cause no pause.
    func didFetch(in duration: UInt64) {
        let pause = min(3 * duration, EngineTimings.longestFetchPause)
        let end = pause < EngineTimings.shortestFetchPause ? 0 : monotonicNanoseconds() + pause
        state.withLock { $0.lookout.pausedUntil = end }
    }

    /// Runs one round after another as the lookout, until no work remains.
    private func runLookout(_ number: Int) {
        var lastRound = monotonicNanoseconds()
        while true {
            // Hold the lock only to copy the lists, because the writer needs the same lock.
            let found = state.withLock { state in
                state.lookout.number == number ? Self.takeWork(from: &state) : nil
            }
            guard let found else { return }
            if !found.isEmpty {
                watchLookout()
                var members: Members = [:]
                for group in found { members.merge(group) { member, _ in member } }
                FetchRound.start(for: members.values.filter { $0.beginFetch() }, hub: self)
                lastRound = monotonicNanoseconds()
            }
            let now = monotonicNanoseconds()
            let pause: UInt64? = state.withLock { state in
                guard state.lookout.number == number else { return nil }
                let pausedUntil = state.lookout.pausedUntil
                // A pause is in progress or ended recently, so commits are frequent.
                let mayStay = pausedUntil != 0 && now - lastRound < EngineTimings.lookoutTail
                if mayStay {
                    state.lookout.trustedUntil = .max
                    return max(
                        pausedUntil > now ? pausedUntil - now : 0,
                        EngineTimings.lookoutPause
                    )
                }
                if !state.touched.isEmpty || !state.waiting.isEmpty { return 0 }
                state.lookout.isAwake = false
                return nil
            }
            guard let pause else { return }
            if pause > 0 { parker.park(until: now + pause) }
        }
    }

    /// Schedules a check that continues the remaining fetches if a round takes a long time.
    ///
    /// If members wait for the next round, another lookout takes over, because no later commit may
    /// arrive to start one.
    private func watchLookout() {
        if state.withLock({ Self.mustStartWatching(&$0) }) { checkLookoutLater() }
    }

    private static func mustStartWatching(_ state: inout State) -> Bool {
        defer { state.lookout.isWatched = true }
        return !state.lookout.isWatched
    }

    /// Registers a round at its start, so that one slow fetch does not delay the round's other
    /// members.
    func didBegin(_ round: RoundInProgress) {
        let mustBegin = state.withLock { state in
            state.rounds.append(round)
            return Self.mustStartWatching(&state)
        }
        if mustBegin { checkLookoutLater() }
    }

    func didEnd(_ round: RoundInProgress) {
        state.withLock { $0.rounds.removeAll { $0 === round } }
    }

    private func checkLookoutLater() {
        Self.watching.asyncAfter(deadline: .now() + .nanoseconds(Int(EngineTimings.roundTrust))) {
            [self] in
            continueRounds(exceptFetchesSince: monotonicNanoseconds() - EngineTimings.roundTrust)
            let mustContinue = state.withLock { state in
                state.lookout.isWatched =
                    state.lookout.isAwake || state.rounds.contains(where: \.hasRemainingWork)
                return state.lookout.isWatched
            }
            guard mustContinue else { return }
            fetchSoon([])
            checkLookoutLater()
        }
    }

    /// Continues the remaining work of all rounds that are still in a fetch started before an
    /// instant.
    ///
    /// The remaining members use another reader, where a fetch may also take a long time. One
    /// reader stays free, because the running fetches may be waiting for an access that must read.
    func continueRounds(exceptFetchesSince instant: UInt64) {
        let lasting = state.withLock { $0.rounds }.filter { $0.lasts(since: instant) }
        var free = lasting.isEmpty ? 0 : freeReaders()
        for round in lasting {
            let remaining = free > 1 ? round.takeRemaining() : round.takeFetched()
            if remaining.isEmpty { continue }
            if !remaining.waiting.isEmpty { free -= 1 }
            FetchRound.proceed(with: remaining, hub: self)
        }
    }

    /// Removes and returns the values to fetch.
    ///
    /// After this call, the lookout is expected to respond within ``EngineTimings/roundTrust``.
    private static func takeWork(from state: inout State) -> [Members] {
        var work = state.groups.filter { group in
            state.touched.contains { $0 === group.watched }
        }
        .map(\.members)
        if !state.waiting.isEmpty { work.append(state.waiting) }
        state.waiting = [:]
        state.touched = []
        state.lookout.trustedUntil = monotonicNanoseconds() + EngineTimings.roundTrust
        return work
    }
}
