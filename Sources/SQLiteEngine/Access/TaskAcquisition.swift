import Telemetry

/// A task's wait for one specific connection, which ends if the task is canceled.
final class TaskAcquisition: Sendable {
    private struct State {
        var waiter: Waiter?
        var isCancelled = false
    }

    /// The connection, or the error if the task receives none.
    let outcome = Promise<Result<AccessSlot, any Error>>()

    private let gate: AccessGate
    private let wanted: AccessSlot
    private let holdings: [AccessGate.Holding]
    private let state = Lock(State())

    init(gate: AccessGate, wanted: AccessSlot, holdings: [AccessGate.Holding]) {
        self.gate = gate
        self.wanted = wanted
        self.holdings = holdings
    }

    func start(_ site: AccessSite, _ intent: Waiter.Intent) {
        let waiter = gate.acquire(
            site,
            intent,
            wanted: wanted,
            holdings: holdings,
            resume: outcome.fulfill
        )
        guard let waiter else { return }
        let isCancelled = state.withLock { state in
            state.waiter = waiter
            return state.isCancelled
        }
        if isCancelled { end(waiter) }
    }

    func cancel() {
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.waiter
        }
        if let waiter { end(waiter) }
    }

    private func end(_ waiter: Waiter) {
        guard gate.cancel(waiter) else { return }
        outcome.fulfill(.failure(CancellationError()))
    }
}
