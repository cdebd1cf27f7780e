import SQLiteEngine
import Telemetry

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

typealias StartObservation<Output> =
    @Sendable (
        _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (Output) -> Void
    ) -> AnyDatabaseCancellable

/// A subscription that starts its observation at the first demand.
///
/// The subscription drops values without demand. It calls the subscriber without holding the lock,
/// because the subscriber can demand more values or cancel.
///
/// `@unchecked Sendable`: a lock protects all mutable state. Only the observation calls the
/// subscriber, with one value at a time.
final class ObservationSubscription<Output>: Subscription, @unchecked Sendable {
    private typealias Receiver = AnySubscriber<Output, any Error>

    private enum State {
        case waitingForDemand(StartObservation<Output>, Receiver)
        case observing(Receiver, Subscribers.Demand, AnyDatabaseCancellable?)
        case ended
    }

    private let state: Lock<State>

    private init(_ start: @escaping StartObservation<Output>, _ subscriber: Receiver) {
        state = Lock(.waitingForDemand(start, subscriber))
    }

    static func subscribe<S>(_ subscriber: S, start: @escaping StartObservation<Output>)
    where S: Subscriber, S.Input == Output, S.Failure == any Error {
        subscriber.receive(subscription: Self(start, AnySubscriber(subscriber)))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let start: StartObservation<Output>? = state.withLock { state in
            switch state {
            case .waitingForDemand(let start, let receiver):
                // Set the state first, because starting the observation can deliver the first
                // value.
                state = .observing(receiver, demand, nil)
                return start
            case .observing(let receiver, let remaining, let cancellable):
                state = .observing(receiver, remaining + demand, cancellable)
                return nil
            case .ended:
                return nil
            }
        }
        guard let start else { return }
        let cancellable = start(
            { [weak self] error in self?.fail(error) },
            { [weak self] value in self?.send(value) }
        )
        let hasEnded = state.withLock { state in
            guard case .observing(let receiver, let remaining, _) = state else { return true }
            state = .observing(receiver, remaining, cancellable)
            return false
        }
        if hasEnded { cancellable.cancel() }
    }

    func cancel() { end() }

    private func send(_ value: Output) {
        let receiver: Receiver? = state.withLock { state in
            guard case .observing(let receiver, let remaining, let cancellable) = state,
                remaining > .none
            else { return nil }
            state = .observing(receiver, remaining - 1, cancellable)
            return receiver
        }
        guard let receiver else { return }
        let more = receiver.receive(value)
        guard more > .none else { return }
        state.withLock { state in
            guard case .observing(let receiver, let remaining, let cancellable) = state
            else { return }
            state = .observing(receiver, remaining + more, cancellable)
        }
    }

    private func fail(_ error: any Error) {
        guard case .observing(let receiver, _, _) = end() else { return }
        receiver.receive(completion: .failure(error))
    }

    /// Ends the observation.
    ///
    /// - Returns: The previous state, for the caller to release outside the lock.
    @discardableResult
    private func end() -> State {
        let previous: State = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .observing(_, _, let cancellable) = previous { cancellable?.cancel() }
        return previous
    }
}
