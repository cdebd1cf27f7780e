import Foundation

/// When a shared observation ends.
public enum SharedValueObservationExtent: Hashable, Sendable {
    /// When the shared observation itself goes, and nobody observes.
    case observationLifetime
    /// When nobody observes any more; the next one starts it anew.
    case whileObserved
}

/// One observation whose values many want: it fetches once for all of them.
///
/// Who comes later gets the last value at once.
///
/// `@unchecked Sendable`: `state` is used under the lock alone, which is recursive: who is told a
/// value may start or cancel.
public final class SharedValueObservation<Element: Sendable>: @unchecked Sendable {
    private final class Client: Sendable {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Element) -> Void

        init(
            onError: @escaping @Sendable (any Error) -> Void,
            onChange: @escaping @Sendable (Element) -> Void
        ) {
            self.onError = onError
            self.onChange = onChange
        }
    }

    private struct State {
        var clients: [Client] = []
        var isObserving = false
        var cancellable: AnyDatabaseCancellable?
        var last: Result<Element, any Error>?
    }

    private let scheduler: any ValueObservationScheduler
    private let extent: SharedValueObservationExtent
    private let startObservation: ObservationStart<Element>
    private let lock = NSRecursiveLock()
    private var state = State()

    init(
        scheduling scheduler: any ValueObservationScheduler,
        extent: SharedValueObservationExtent,
        start: @escaping ObservationStart<Element>
    ) {
        self.scheduler = scheduler
        self.extent = extent
        startObservation = start
    }

    /// Begins to tell somebody the values.
    ///
    /// - Parameters:
    ///   - onError: Called with the error that ended the observation.
    ///   - onChange: Called with the last value, and each one that follows.
    /// - Returns: What ends it for this one, at the latest when it goes.
    @preconcurrency
    public func start(
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        let client = Client(onError: onError, onChange: onChange)
        lock.withLock {
            state.clients.append(client)
            if state.isObserving {
                if let last = state.last { tell(client, last) }
            } else {
                // Set before: the first value may come, and start another one, within the call.
                state.isObserving = true
                state.cancellable = startObservation(
                    { [weak self] in self?.receive(.failure($0)) },
                    { [weak self] in self?.receive(.success($0)) }
                )
            }
        }
        return AnyDatabaseCancellable { self.remove(client) }
    }

    /// The values as a sequence.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            self.start(onError: onError, onChange: onChange)
        }
    }

    /// Tells who comes late what was told last.
    private func tell(_ client: Client, _ last: Result<Element, any Error>) {
        let tellNow: @Sendable () -> Void = { [self] in
            // It may have been cancelled before its turn came.
            let isClient = lock.withLock { state.clients.contains { $0 === client } }
            guard isClient else { return }
            switch last {
            case .success(let value): client.onChange(value)
            case .failure(let error): client.onError(error)
            }
        }
        if scheduler.immediateInitialValue() { tellNow() } else { scheduler.schedule(tellNow) }
    }

    private func receive(_ result: Result<Element, any Error>) {
        lock.withLock {
            state.last = result
            let clients = state.clients
            switch result {
            case .success(let value):
                for client in clients { client.onChange(value) }
            case .failure(let error):
                state.clients = []
                if extent == .whileObserved { forget() }
                for client in clients { client.onError(error) }
            }
        }
    }

    private func remove(_ client: Client) {
        lock.withLock {
            state.clients.removeAll { $0 === client }
            if state.clients.isEmpty, extent == .whileObserved { forget() }
        }
    }

    private func forget() {
        let cancellable = state.cancellable
        state.isObserving = false
        state.cancellable = nil
        state.last = nil
        cancellable?.cancel()
    }
}
