import Telemetry

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// An access that starts with a subscriber's first demand, and the scheduler for its result.
///
/// `@unchecked Sendable`: both closures are constants. The captures of `start` are `Sendable`, and
/// a `Scheduler` accepts work from any thread.
struct DeferredAccess<Output>: @unchecked Sendable {
    typealias Completion = @Sendable (Result<Output, any Error>) -> Void

    /// A closure that starts the access, which calls the completion once.
    let start: @Sendable (@escaping Completion) -> Void
    /// A closure that runs another closure on the scheduler.
    let schedule: (@escaping () -> Void) -> Void

    init(
        receiveOn scheduler: some Scheduler,
        start: @escaping @Sendable (@escaping Completion) -> Void
    ) {
        self.start = start
        schedule = { scheduler.schedule($0) }
    }

    func subscribe<S>(_ subscriber: S)
    where S: Subscriber, S.Input == Output, S.Failure == any Error {
        let subscription = AccessSubscription(self, AnySubscriber(subscriber))
        subscriber.receive(subscription: subscription)
    }
}

/// The access of one subscriber.
///
/// The access calls the subscriber and the scheduler without holding the lock, because either can
/// cancel the access.
///
/// `@unchecked Sendable`: a lock protects all mutable state. Only the scheduler calls the
/// subscriber, after the subscriber is removed from the state.
private final class AccessSubscription<Output>: Subscription, @unchecked Sendable {
    private enum State {
        case waitingForDemand(DeferredAccess<Output>, AnySubscriber<Output, any Error>)
        case accessing(DeferredAccess<Output>, AnySubscriber<Output, any Error>)
        /// The subscriber is receiving the value, and the completion follows.
        case finishing
        case ended
    }

    private let state: Lock<State>

    init(_ access: DeferredAccess<Output>, _ subscriber: AnySubscriber<Output, any Error>) {
        state = Lock(.waitingForDemand(access, subscriber))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let access: DeferredAccess<Output>? = state.withLock { state in
            guard case .waitingForDemand(let access, let subscriber) = state else { return nil }
            state = .accessing(access, subscriber)
            return access
        }
        guard let access else { return }
        // Start the access on the subscriber's thread, so transactions start in the order of the
        // demands.
        access.start { result in
            let result = SentResult(result: result)
            access.schedule { self.send(result.result) }
        }
    }

    func cancel() { _ = replace(with: .ended) }

    private func send(_ result: Result<Output, any Error>) {
        switch result {
        case .success(let value):
            guard case .accessing(_, let subscriber) = advance(to: .finishing) else { return }
            _ = subscriber.receive(value)
            // The subscriber may have canceled when it received the value.
            guard case .finishing = replace(with: .ended) else { return }
            subscriber.receive(completion: .finished)
        case .failure(let error):
            guard case .accessing(_, let subscriber) = advance(to: .ended) else { return }
            subscriber.receive(completion: .failure(error))
        }
    }

    /// Sets the state unless the access has ended.
    ///
    /// - Returns: The previous state.
    private func advance(to next: State) -> State {
        state.withLock { state in
            if case .ended = state { return state }
            defer { state = next }
            return state
        }
    }

    private func replace(with next: State) -> State {
        // The caller releases the previous state outside the lock.
        state.withLock { state in
            defer { state = next }
            return state
        }
    }
}

/// A result that is being passed to the scheduler.
///
/// `@unchecked Sendable`: the creator does not use the value again.
private struct SentResult<Output>: @unchecked Sendable {
    let result: Result<Output, any Error>
}
