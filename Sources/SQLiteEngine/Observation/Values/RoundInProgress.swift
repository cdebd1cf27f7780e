import Telemetry

/// The fetched and the remaining members of one access of a ``FetchRound``.
///
/// A lock protects the state, because the hub may continue with the other members on another thread
/// if a previously quick fetch takes a long time.
final class RoundInProgress: Sendable {
    struct Remaining {
        /// The members that were fetched and must be delivered.
        var fetched: [any ObservedMember] = []
        /// The fetched members for which another fetch has since been requested.
        var again: [any ObservedMember] = []
        /// The members that have not been fetched yet.
        var waiting: ArraySlice<any ObservedMember>

        var isEmpty: Bool { fetched.isEmpty && waiting.isEmpty }
    }

    private struct State {
        var remaining: Remaining
        /// The start of the running fetch in nanoseconds, or `nil` between two fetches.
        var begin: UInt64?
    }

    /// The start of the round, in nanoseconds on the monotonic clock.
    let begin = monotonicNanoseconds()
    private let state: Lock<State>

    init(_ members: ArraySlice<any ObservedMember>) {
        state = Lock(State(remaining: Remaining(waiting: members)))
    }

    func next() -> (any ObservedMember)? {
        state.withLock { state in
            state.begin = monotonicNanoseconds()
            return state.remaining.waiting.popFirst()
        }
    }

    func didFetch(_ member: any ObservedMember, isWantedAgain: Bool) {
        state.withLock { state in
            state.begin = nil
            state.remaining.fetched.append(member)
            if isWantedAgain { state.remaining.again.append(member) }
        }
    }

    func takeRemaining() -> Remaining {
        state.withLock { state in
            defer { state.remaining = Remaining(waiting: []) }
            return state.remaining
        }
    }

    func lasts(since instant: UInt64) -> Bool {
        state.withLock { $0.begin.map { $0 < instant } == true }
    }

    /// Removes and returns the fetched members, but keeps the waiting members.
    func takeFetched() -> Remaining {
        state.withLock { state in
            defer { state.remaining = Remaining(waiting: state.remaining.waiting) }
            var remaining = state.remaining
            remaining.waiting = []
            return remaining
        }
    }

    var hasRemainingWork: Bool { state.withLock { !$0.remaining.isEmpty } }
}
