import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Elsewhere `DispatchQueue` does not say that it is Sendable; it is.
@preconcurrency import Dispatch
#endif

/// When the values of a database are fetched anew, and who does it.
///
/// A commit only notes what it has touched. One thread, the *lookout*, fetches it. The writer wakes
/// that thread when it sleeps for good: the wake-up of another thread is the dearest part of a
/// commit that is observed, the more so where the scheduler lets that thread have the writer's
/// processor. So the lookout looks again by itself as long as rounds are long and commits dense.
extension ObservationHub {
    /// Who looks for what has to be fetched.
    struct Lookout {
        /// Where it runs.
        ///
        /// Serial: such a queue gets a thread even while others are blocked, so that one that stays
        /// does not take one of the few that all concurrent queues share.
        var queue = DispatchQueue(label: "SQLiteEngine.observation", qos: .userInitiated)
        /// Counts the lookouts: one that was replaced finds that it is not the last.
        var number = 0
        /// Whether there is one.
        var isAwake = false
        /// Until when it is left alone, in nanoseconds of the monotonic clock: a fetch that lasts
        /// must not keep the others waiting.
        var isTrustedUntil: UInt64 = 0
        /// Whether somebody looks after it.
        var isWatched = false
        /// When the next round may begin, in nanoseconds of the monotonic clock.
        var restsUntil: UInt64 = 0
    }

    /// Where the lookouts of all databases are looked after.
    private static let watching = DispatchQueue(label: "SQLiteEngine.observation.watching")

    /// Has some values fetched, and whatever else was touched.
    ///
    /// The writer starts no fetch itself, and wakes nobody while a lookout is there.
    func fetchSoon(_ members: [any ObservedMember]) {
        typealias Appointed = (number: Int, queue: DispatchQueue, rest: UInt64)
        let appointed: Appointed? = state.withLock { state in
            for member in members { state.waiting[ObjectIdentifier(member)] = member }
            if state.touched.isEmpty && state.waiting.isEmpty { return nil }
            if state.lookout.isAwake {
                let isTrustedUntil = state.lookout.isTrustedUntil
                if monotonicNanoseconds() < isTrustedUntil { return nil }
                // It blocks its queue.
                state.lookout.queue = Lookout().queue
            }
            state.lookout.number += 1
            state.lookout.isAwake = true
            state.lookout.isTrustedUntil = .max
            let restsUntil = state.lookout.restsUntil
            let now = restsUntil == 0 ? 0 : monotonicNanoseconds()
            return (
                state.lookout.number, state.lookout.queue,
                restsUntil > now ? restsUntil - now : 0
            )
        }
        guard let appointed else { return }
        if appointed.rest == 0 {
            appointed.queue.async { self.look(as: appointed.number) }
        } else {
            appointed.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(appointed.rest))) {
                self.look(as: appointed.number)
            }
        }
    }

    /// Lets the next round begin a little later when a long one has ended.
    ///
    /// A writer that commits all the time would keep a hundred values being fetched all the time.
    /// So rounds take a quarter of the time at most, and what is committed while they rest is
    /// fetched at once. A few quick fetches know no rest.
    func didFetch(in duration: UInt64) {
        let rest = min(3 * duration, EngineTimings.longestRest)
        let end = rest < EngineTimings.shortestRest ? 0 : monotonicNanoseconds() + rest
        state.withLock { $0.lookout.restsUntil = end }
    }

    /// What the lookout of a number does: rounds, one after another, until nothing comes any more.
    private func look(as number: Int) {
        var lastRound = monotonicNanoseconds()
        while true {
            // The lists alone: whoever writes wants the same lock.
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
                let restsUntil = state.lookout.restsUntil
                // A rest is due, or one was within this while: commits are dense.
                let mayStay = restsUntil != 0 && now - lastRound < EngineTimings.lookoutTail
                if mayStay {
                    state.lookout.isTrustedUntil = .max
                    return max(restsUntil > now ? restsUntil - now : 0, EngineTimings.lookoutPause)
                }
                if !state.touched.isEmpty || !state.waiting.isEmpty { return 0 }
                state.lookout.isAwake = false
                return nil
            }
            guard let pause else { return }
            if pause > 0 { parker.park(until: now + pause) }
        }
    }

    /// Has the others go on when a round lasts.
    ///
    /// Another lookout is appointed when somebody waits for the next round: a commit that trusted
    /// the lookout may have been the last one.
    private func watchLookout() {
        if state.withLock({ Self.mustBeginToWatch(&$0) }) { checkLookoutLater() }
    }

    private static func mustBeginToWatch(_ state: inout State) -> Bool {
        defer { state.lookout.isWatched = true }
        return !state.lookout.isWatched
    }

    /// A round begins whose members must not wait for one of them.
    func didBegin(_ round: RoundInProgress) {
        let mustBegin = state.withLock { state in
            state.rounds.append(round)
            return Self.mustBeginToWatch(&state)
        }
        if mustBegin { checkLookoutLater() }
    }

    /// Nobody of a round is being fetched any more.
    func didEnd(_ round: RoundInProgress) {
        state.withLock { $0.rounds.removeAll { $0 === round } }
    }

    private func checkLookoutLater() {
        Self.watching.asyncAfter(deadline: .now() + .nanoseconds(Int(EngineTimings.roundTrust))) {
            [self] in
            goOn(besideFetchesSince: monotonicNanoseconds() - EngineTimings.roundTrust)
            let goesOn = state.withLock { state in
                state.lookout.isWatched =
                    state.lookout.isAwake || state.rounds.contains(where: \.isLeft)
                return state.lookout.isWatched
            }
            guard goesOn else { return }
            fetchSoon([])
            checkLookoutLater()
        }
    }

    /// Sees to all that rounds have left beside fetches that have begun before an instant.
    ///
    /// Those that wait go to another reader, where a fetch may last as well. So this leaves a free
    /// reader to others: what the fetches wait for may be somebody who wants to read.
    func goOn(besideFetchesSince instant: UInt64) {
        let lasting = state.withLock { $0.rounds }.filter { $0.lasts(since: instant) }
        var free = lasting.isEmpty ? 0 : freeReaders()
        for round in lasting {
            let left = free > 1 ? round.takeLeft() : round.takeFetched()
            if left.isEmpty { continue }
            if !left.waiting.isEmpty { free -= 1 }
            FetchRound.goOn(with: left, hub: self)
        }
    }

    /// What has to be fetched now; from here on the lookout is trusted for the time of a round.
    private static func takeWork(from state: inout State) -> [Members] {
        var work = state.groups.filter { group in
            state.touched.contains { $0 === group.watched }
        }
        .map(\.members)
        if !state.waiting.isEmpty { work.append(state.waiting) }
        state.waiting = [:]
        state.touched = []
        state.lookout.isTrustedUntil = monotonicNanoseconds() + EngineTimings.roundTrust
        return work
    }
}
