import Synchronization
import Telemetry

/// The lifetime of a shared observation.
public enum SharedValueObservationExtent: Hashable, Sendable {
    /// Until the shared observation has been deallocated and has no clients.
    case observationLifetime
    /// Until the last client is canceled. The next client restarts the observation.
    case whileObserved
}

/// An observation that many clients share.
///
/// The observation fetches each value once for all clients. A client that starts later receives the
/// last value immediately.
public final class SharedValueObservation<Element: Sendable>: Sendable {
    private final class Client: Sendable {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Element) -> Void
        private let isOver = Atomic<Bool>(false)

        init(
            onError: @escaping @Sendable (any Error) -> Void,
            onChange: @escaping @Sendable (Element) -> Void
        ) {
            self.onError = onError
            self.onChange = onChange
        }

        func end() { isOver.store(true, ordering: .releasing) }

        func send(_ result: Result<Element, any Error>) {
            guard !isOver.load(ordering: .acquiring) else { return }
            switch result {
            case .success(let value): onChange(value)
            case .failure(let error): onError(error)
            }
        }
    }

    private struct State {
        var clients: [Client] = []
        /// The clients that started late and have not received the last value.
        var pendingClients: [Client] = []
        var isObserving = false
        /// The number of the current observation, used to discard late results of earlier
        /// observations.
        var number = 0
        var cancellable: AnyDatabaseCancellable?
        var last: Result<Element, any Error>?
    }

    private enum StartAction {
        case observe(number: Int)
        case sendLast
        case nothing
    }

    private let scheduler: any ValueObservationScheduler
    private let extent: SharedValueObservationExtent
    private let startObservation: ObservationStart<Element>
    private let state = Lock(State())

    init(
        scheduling scheduler: any ValueObservationScheduler,
        extent: SharedValueObservationExtent,
        start: @escaping ObservationStart<Element>
    ) {
        self.scheduler = scheduler
        self.extent = extent
        startObservation = start
    }

    /// Starts to deliver values to a client.
    ///
    /// - Parameters:
    ///   - onError: A closure to call with the error that ends the observation.
    ///   - onChange: A closure to call with the last value and with each later value.
    /// - Returns: A cancellable that ends the delivery to this client when it is canceled or
    ///   deallocated.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        let client = Client(onError: onError, onChange: onChange)
        let action: StartAction = state.withLock { state in
            state.clients.append(client)
            guard state.isObserving else {
                state.isObserving = true
                state.number += 1
                return .observe(number: state.number)
            }
            guard state.last != nil else { return .nothing }
            state.pendingClients.append(client)
            return .sendLast
        }
        switch action {
        case .observe(let number): observe(as: number)
        case .sendLast: sendLast(client)
        case .nothing: break
        }
        return AnyDatabaseCancellable { self.remove(client) }
    }

    /// Returns the values as an asynchronous sequence.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            self.start(onError: onError, onChange: onChange)
        }
    }

    /// Starts the observation.
    ///
    /// This method may deliver the first value, so clients may be added or canceled during the
    /// call.
    private func observe(as number: Int) {
        let cancellable = startObservation(
            { [weak self] in self?.receive(.failure($0), from: number) },
            { [weak self] in self?.receive(.success($0), from: number) }
        )
        let isCurrent = state.withLock { state in
            guard state.isObserving, state.number == number else { return false }
            state.cancellable = cancellable
            return true
        }
        if !isCurrent { cancellable.cancel() }
    }

    /// Sends the last result to a late client, unless a newer value reaches the client first.
    private func sendLast(_ client: Client) {
        let sendNow: @Sendable () -> Void = { [self] in
            let last = state.withLock { state -> Result<Element, any Error>? in
                guard let index = state.pendingClients.firstIndex(where: { $0 === client })
                else { return nil }
                state.pendingClients.remove(at: index)
                return state.last
            }
            if let last { client.send(last) }
        }
        if scheduler.immediateInitialValue() { sendNow() } else { scheduler.schedule(sendNow) }
    }

    /// Sends the result of an observation to the clients.
    ///
    /// This method calls clients outside the lock, because they may start and cancel observations,
    /// or wait for other threads that do so.
    private func receive(_ result: Result<Element, any Error>, from number: Int) {
        let (clients, released) = state.withLock { state -> ([Client], ReleasedObjects) in
            guard state.isObserving, state.number == number else { return ([], ReleasedObjects()) }
            let last = state.last
            state.last = result
            state.pendingClients = []
            let clients = state.clients
            guard case .failure = result else { return (clients, ReleasedObjects(last: last)) }
            state.clients = []
            let cancellable = extent == .whileObserved ? Self.reset(&state).cancellable : nil
            return (clients, ReleasedObjects(cancellable: cancellable, last: last))
        }
        released.cancellable?.cancel()
        for client in clients { client.send(result) }
    }

    private func remove(_ client: Client) {
        client.end()
        let released = state.withLock { state in
            state.clients.removeAll { $0 === client }
            state.pendingClients.removeAll { $0 === client }
            guard state.clients.isEmpty, extent == .whileObserved else { return ReleasedObjects() }
            return Self.reset(&state)
        }
        released.cancellable?.cancel()
    }

    /// The objects to release outside the lock, because deallocating them may run user code.
    private struct ReleasedObjects {
        var cancellable: AnyDatabaseCancellable?
        var last: Result<Element, any Error>?
    }

    /// Resets the state when the observation ends.
    ///
    /// - Returns: The objects to release. The caller must cancel the observation.
    private static func reset(_ state: inout State) -> ReleasedObjects {
        defer { (state.cancellable, state.last) = (nil, nil) }
        state.isObserving = false
        return ReleasedObjects(cancellable: state.cancellable, last: state.last)
    }
}

/// An asynchronous sequence of an observation's values.
///
/// The observation ends when the loop ends, when the loop's task is canceled, or when an error
/// occurs. The loop throws the error.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    /// The policy for buffering values that the loop has not consumed yet.
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation
        .BufferingPolicy
    /// The type of iterator that ``makeAsyncIterator()`` returns.
    public typealias AsyncIterator = Iterator

    private let bufferingPolicy: BufferingPolicy
    private let start: ObservationStart<Element>

    init(bufferingPolicy: BufferingPolicy, start: @escaping ObservationStart<Element>) {
        self.bufferingPolicy = bufferingPolicy
        self.start = start
    }

    /// Starts the observation.
    public func makeAsyncIterator() -> Iterator {
        let (stream, values) = AsyncThrowingStream.makeStream(
            of: Element.self,
            bufferingPolicy: bufferingPolicy
        )
        let cancellable = start({ values.finish(throwing: $0) }, { values.yield($0) })
        // The closure captures the cancellable weakly, so releasing the iterator ends the
        // observation.
        values.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
        return Iterator(base: stream.makeAsyncIterator(), cancellable: cancellable)
    }

    /// An iterator over the values of one observation.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<Element, any Error>.AsyncIterator
        fileprivate let cancellable: AnyDatabaseCancellable

        /// Returns the next value, or `nil` if the task is canceled.
        ///
        /// - Throws: The error that ended the observation.
        public mutating func next() async throws -> Element? { try await base.next() }
    }
}

/// An operation that can be canceled.
public protocol DatabaseCancellable: Sendable {
    /// Ends the operation. A second call has no effect.
    func cancel()
}

/// An object that ends an observation when it is canceled or deallocated.
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let action: Lock<(@Sendable () -> Void)?>

    /// Creates a cancellable that runs a closure once.
    public init(cancel: @escaping @Sendable () -> Void) { action = Lock(cancel) }

    /// Wraps another cancellable.
    public convenience init(_ base: some DatabaseCancellable) { self.init { base.cancel() } }

    deinit { cancel() }

    /// Ends the observation.
    ///
    /// No delivery starts after this call, but one may be in progress.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
