import Telemetry

/// The turns of clients that share the workers of one of them.
///
/// A program with one connection performs its transactions one after another, even if the scenario has
/// a client for its reads and another for its writes. The clients' workers take turns: as many as the
/// first client has workers perform an access at once, and the others wait in order.
final class WorkerTurns: Sendable {
    private struct State {
        var runningCount = 0
        var waiting: [any Sleeper] = []
    }

    /// The settings of the client that has the workers.
    private let settings: ClientSettings
    private let state = Lock(State())

    init(_ settings: ClientSettings) { self.settings = settings }

    /// Begins a turn, or adds a worker to those that wait.
    ///
    /// - Returns: Whether the turn began.
    func begin(_ sleeper: any Sleeper) -> Bool {
        state.withLock { $0.waiting.append(sleeper) }
        return !isWaiting(sleeper)
    }

    /// Returns whether a worker waits after the turns that may begin have begun.
    ///
    /// The number of workers may have changed since the last turn ended.
    func isWaiting(_ sleeper: any Sleeper) -> Bool {
        beginWaitingTurns(asking: sleeper)
    }

    /// Removes a worker from those that wait, or ends its turn if it has begun.
    func giveUp(_ sleeper: any Sleeper) {
        let wasWaiting = state.withLock { state in
            let count = state.waiting.count
            state.waiting.removeAll { $0 === sleeper }
            return state.waiting.count < count
        }
        if !wasWaiting { end() }
    }

    /// Ends a turn, and begins those of the workers that have waited longest.
    func end() {
        state.withLock { $0.runningCount -= 1 }
        beginWaitingTurns(asking: nil)
    }

    /// Wakes the workers whose turns begin.
    ///
    /// - Returns: Whether the worker that asks, which is awake, still waits.
    @discardableResult
    private func beginWaitingTurns(asking sleeper: (any Sleeper)?) -> Bool {
        let limit = settings.read().workers
        let (begun, isWaiting) = state.withLock { state in
            let begun = Array(state.waiting.prefix(max(0, limit - state.runningCount)))
            state.waiting.removeFirst(begun.count)
            state.runningCount += begun.count
            return (begun, state.waiting.contains { $0 === sleeper })
        }
        for other in begun where other !== sleeper { other.wake() }
        return isWaiting
    }
}

extension Worker {
    /// Waits for a turn of the clients that share workers.
    ///
    /// - Parameters:
    ///   - turn: The turn of this worker.
    ///   - moment: The load time of the turn.
    /// - Returns: The turn, or `nil` if the run ends first.
    func sharing(_ turn: Turn, at moment: UInt64) -> Turn? {
        guard let turns = plan.turns, !turns.begin(sleeper) else { return turn }
        while control.stage == .paused || control.stage == .running && turns.isWaiting(sleeper) {
            sleeper.sleep(until: .max)
        }
        guard control.stage < .stopped else {
            turns.giveUp(sleeper)
            return nil
        }
        // The worker waited, so its delay is not that of the load generator.
        var turn = turn
        turn.wasFree = false
        // A pause of the load in the meantime is no delay.
        turn.intended = control.clockTime(of: min(moment, phases.end))
        return turn
    }
}
