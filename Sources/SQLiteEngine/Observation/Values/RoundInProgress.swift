import Telemetry

/// What one access of a ``FetchRound`` has fetched, and what it must still fetch.
///
/// The state has a lock: if a fetch that used to be quick takes long, the hub continues with the
/// others.
final class RoundInProgress: Sendable {
    /// The work that is left to do.
    struct Left {
        /// The members that were fetched and must be delivered.
        var fetched: [any ObservedMember] = []
        /// The fetched members for which another fetch was requested meanwhile.
        var again: [any ObservedMember] = []
        /// The members that were not fetched yet.
        var waiting: ArraySlice<any ObservedMember>

        var isEmpty: Bool { fetched.isEmpty && waiting.isEmpty }
    }

    private struct State {
        var left: Left
        /// When the running fetch started, in nanoseconds; nil between two fetches.
        var begin: UInt64?
    }

    /// When the round started, in nanoseconds of the monotonic clock.
    let begin = monotonicNanoseconds()
    private let state: Lock<State>

    init(_ members: ArraySlice<any ObservedMember>) {
        state = Lock(State(left: Left(waiting: members)))
    }

    /// Removes and returns the next member to fetch.
    func next() -> (any ObservedMember)? {
        state.withLock { state in
            state.begin = monotonicNanoseconds()
            return state.left.waiting.popFirst()
        }
    }

    /// Records that the member was fetched; `isWantedAgain` is the result of
    /// ``ObservedMember/endFetch()``.
    func didFetch(_ member: any ObservedMember, isWantedAgain: Bool) {
        state.withLock { state in
            state.begin = nil
            state.left.fetched.append(member)
            if isWantedAgain { state.left.again.append(member) }
        }
    }

    /// Removes and returns all remaining work.
    func takeLeft() -> Left {
        state.withLock { state in
            defer { state.left = Left(waiting: []) }
            return state.left
        }
    }

    /// Whether the running fetch started before an instant.
    func lasts(since instant: UInt64) -> Bool {
        state.withLock { $0.begin.map { $0 < instant } == true }
    }

    /// Removes and returns the fetched members, and keeps those that were not fetched yet.
    func takeFetched() -> Left {
        state.withLock { state in
            defer { state.left = Left(waiting: state.left.waiting) }
            var left = state.left
            left.waiting = []
            return left
        }
    }

    /// Whether there is work left other than the running fetch.
    var isLeft: Bool { state.withLock { !$0.left.isEmpty } }
}
