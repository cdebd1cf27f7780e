import Telemetry

/// The members that one access of a ``FetchRound`` has fetched, and the members that it must still
/// fetch.
///
/// A lock protects the state, because the hub continues with the other members if a previously
/// quick fetch takes a long time.
final class RoundInProgress: Sendable {
    /// The remaining work.
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
        /// When the running fetch started, in nanoseconds, or `nil` between two fetches.
        var begin: UInt64?
    }

    /// When the round started, in nanoseconds on the monotonic clock.
    let begin = monotonicNanoseconds()
    private let state: Lock<State>

    init(_ members: ArraySlice<any ObservedMember>) {
        state = Lock(State(remaining: Remaining(waiting: members)))
    }

    /// Removes and returns the next member to fetch.
    func next() -> (any ObservedMember)? {
        state.withLock { state in
            state.begin = monotonicNanoseconds()
            return state.remaining.waiting.popFirst()
        }
    }

    /// Records that a member was fetched, and the result of its ``ObservedMember/endFetch()``.
    func didFetch(_ member: any ObservedMember, isWantedAgain: Bool) {
        state.withLock { state in
            state.begin = nil
            state.remaining.fetched.append(member)
            if isWantedAgain { state.remaining.again.append(member) }
        }
    }

    /// Removes and returns all remaining work.
    func takeRemaining() -> Remaining {
        state.withLock { state in
            defer { state.remaining = Remaining(waiting: []) }
            return state.remaining
        }
    }

    /// Returns whether the running fetch started before an instant.
    func lasts(since instant: UInt64) -> Bool {
        state.withLock { $0.begin.map { $0 < instant } == true }
    }

    /// Removes and returns the fetched members, and keeps the members that have not been fetched
    /// yet.
    func takeFetched() -> Remaining {
        state.withLock { state in
            defer { state.remaining = Remaining(waiting: state.remaining.waiting) }
            var remaining = state.remaining
            remaining.waiting = []
            return remaining
        }
    }

    /// Whether any work remains other than the running fetch.
    var hasRemainingWork: Bool { state.withLock { !$0.remaining.isEmpty } }
}
