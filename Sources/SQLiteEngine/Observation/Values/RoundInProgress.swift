import Telemetry

/// What one access of a ``FetchRound`` has fetched, and what it has still to fetch.
///
/// Behind a lock: where a fetch that used to be quick lasts this time, the hub sees to all others.
final class RoundInProgress: Sendable {
    /// What somebody must see to.
    struct Left {
        /// Those that were fetched, and have to be told.
        var fetched: [any ObservedMember] = []
        /// Those of them whose next fetch was asked for meanwhile.
        var again: [any ObservedMember] = []
        /// Those whose turn has not come.
        var waiting: ArraySlice<any ObservedMember>

        var isEmpty: Bool { fetched.isEmpty && waiting.isEmpty }
    }

    private struct State {
        var left: Left
        /// When the fetch that runs has begun, in nanoseconds; nil between two of them.
        var begin: UInt64?
    }

    /// When it began, in nanoseconds of the monotonic clock.
    let begin = monotonicNanoseconds()
    private let state: Lock<State>

    init(_ members: ArraySlice<any ObservedMember>) {
        state = Lock(State(left: Left(waiting: members)))
    }

    /// Takes the next one to fetch.
    func next() -> (any ObservedMember)? {
        state.withLock { state in
            state.begin = monotonicNanoseconds()
            return state.left.waiting.popFirst()
        }
    }

    /// The one that was taken is fetched; `isWantedAgain` as its ``ObservedMember/endFetch()`` says.
    func didFetch(_ member: any ObservedMember, isWantedAgain: Bool) {
        state.withLock { state in
            state.begin = nil
            state.left.fetched.append(member)
            if isWantedAgain { state.left.again.append(member) }
        }
    }

    /// Takes all that is left to see to.
    func takeLeft() -> Left {
        state.withLock { state in
            defer { state.left = Left(waiting: []) }
            return state.left
        }
    }

    /// Whether a fetch runs that has begun before an instant.
    func lasts(since instant: UInt64) -> Bool {
        state.withLock { $0.begin.map { $0 < instant } == true }
    }

    /// Takes those that were fetched, and leaves those whose turn has not come.
    func takeFetched() -> Left {
        state.withLock { state in
            defer { state.left = Left(waiting: state.left.waiting) }
            var left = state.left
            left.waiting = []
            return left
        }
    }

    /// Whether somebody must see to anything but the fetch that runs.
    var isLeft: Bool { state.withLock { !$0.left.isEmpty } }
}
