import SQLiteEngine
import Telemetry

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that accesses the database once for each subscriber, sends one value, and then
    /// finishes.
    ///
    /// The publisher fails if the access fails.
    public struct Access<Output>: Publisher {
        /// A ``DatabaseError``, or an error from a closure.
        public typealias Failure = any Error

        let access: DeferredAccess<Output>

        /// Attaches a subscriber.
        ///
        /// The access starts with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            access.subscribe(subscriber)
        }
    }

    /// A publisher that reads once for each subscriber.
    public typealias Read<Output> = Access<Output>

    /// A publisher that writes once for each subscriber.
    public typealias Write<Output> = Access<Output>
}

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

extension DatabasePublishers {
    /// A publisher that sends the values of an observation.
    ///
    /// The publisher fails with the observation's error, and never finishes.
    public struct Value<Output>: Publisher {
        /// An error that occurs while fetching a value or determining a region.
        public typealias Failure = any Error

        let start: StartObservation<Output>

        /// Attaches a subscriber.
        ///
        /// The observation starts with the first demand. The publisher drops values without demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            ObservationSubscription.subscribe(subscriber, start: start)
        }
    }

    /// A publisher that sends the writer's connection after each transaction that changes the
    /// observed regions, before the writer's next access starts.
    ///
    /// The connection is valid only while the subscriber receives it.
    public typealias DatabaseRegion = Value<Database>
}
