import Synchronization
import Telemetry

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

        /// Tells nothing any more.
        func end() { isOver.store(true, ordering: .releasing) }

        func tell(_ result: Result<Element, any Error>) {
            guard !isOver.load(ordering: .acquiring) else { return }
            switch result {
            case .success(let value): onChange(value)
            case .failure(let error): onError(error)
            }
        }
    }

    private struct State {
        var clients: [Client] = []
        /// Those of them who came late, and have to be told what was told last.
        var newcomers: [Client] = []
        var isObserving = false
        /// Counts the observations: what an earlier one tells late is for nobody here.
        var number = 0
        var cancellable: AnyDatabaseCancellable?
        var last: Result<Element, any Error>?
    }

    /// What is left to do for a new client.
    private enum Beginning {
        case observe(number: Int)
        case tellLast
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
        let beginning: Beginning = state.withLock { state in
            state.clients.append(client)
            guard state.isObserving else {
                state.isObserving = true
                state.number += 1
                return .observe(number: state.number)
            }
            guard state.last != nil else { return .nothing }
            state.newcomers.append(client)
            return .tellLast
        }
        switch beginning {
        case .observe(let number): observe(as: number)
        case .tellLast: tellLast(client)
        case .nothing: break
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

    /// Starts the observation; the first value may come, and start or end others, within the call.
    private func observe(as number: Int) {
        let cancellable = startObservation(
            { [weak self] in self?.receive(.failure($0), from: number) },
            { [weak self] in self?.receive(.success($0), from: number) }
        )
        let isWanted = state.withLock { state in
            guard state.isObserving, state.number == number else { return false }
            state.cancellable = cancellable
            return true
        }
        if !isWanted { cancellable.cancel() }
    }

    /// Tells who comes late what was told last, unless a newer value reaches it before.
    private func tellLast(_ client: Client) {
        let tellNow: @Sendable () -> Void = { [self] in
            let last = state.withLock { state -> Result<Element, any Error>? in
                guard let index = state.newcomers.firstIndex(where: { $0 === client })
                else { return nil }
                state.newcomers.remove(at: index)
                return state.last
            }
            if let last { client.tell(last) }
        }
        if scheduler.immediateInitialValue() { tellNow() } else { scheduler.schedule(tellNow) }
    }

    /// Tells the clients what the observation of a number tells.
    ///
    /// They are called outside the lock: they may start and cancel, and wait for others who do.
    private func receive(_ result: Result<Element, any Error>, from number: Int) {
        let (clients, ended) = state.withLock { state -> ([Client], Ended) in
            guard state.isObserving, state.number == number else { return ([], Ended()) }
            let last = state.last
            state.last = result
            state.newcomers = []
            let clients = state.clients
            guard case .failure = result else { return (clients, Ended(last: last)) }
            state.clients = []
            let cancellable = extent == .whileObserved ? Self.forget(&state).cancellable : nil
            return (clients, Ended(cancellable: cancellable, last: last))
        }
        ended.cancellable?.cancel()
        for client in clients { client.tell(result) }
    }

    private func remove(_ client: Client) {
        client.end()
        let ended = state.withLock { state in
            state.clients.removeAll { $0 === client }
            state.newcomers.removeAll { $0 === client }
            guard state.clients.isEmpty, extent == .whileObserved else { return Ended() }
            return Self.forget(&state)
        }
        ended.cancellable?.cancel()
    }

    /// What is let go outside the lock: its end may run code of the user's.
    private struct Ended {
        var cancellable: AnyDatabaseCancellable?
        var last: Result<Element, any Error>?
    }

    /// Ends the observation; the caller cancels it.
    private static func forget(_ state: inout State) -> Ended {
        defer { (state.cancellable, state.last) = (nil, nil) }
        state.isObserving = false
        return Ended(cancellable: state.cancellable, last: state.last)
    }
}
