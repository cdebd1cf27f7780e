import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ends a run early on `SIGINT`, `SIGTERM`, `SIGHUP` or `SIGQUIT`, instead of killing the process.
///
/// A second signal cleans up and ends the process immediately. Signals shortly after the first, and
/// every further `SIGHUP`, belong to the same request: a closing terminal sends several `SIGHUP`.
final class Interruption: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// The time during which signals belong to one request, in nanoseconds.
    private static let requestWindow: UInt64 = 300_000_000

    private let received = Atomic<Int32>(0)
    private let receivedAt = Atomic<UInt64>(0)
    private let queue = DispatchQueue(label: "poolgauge.signals")
    // Keeps the sources alive. The initializer sets it once, before the object is shared, and
    // nothing reads it.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    /// The first signal received, if any.
    var signal: Int32? {
        let number = received.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// The timeout for registering the sources, in seconds: a run also works without them.
    private static let registrationTimeout = 5

    /// Handles all signals that arrive after this initializer returns.
    ///
    /// - Parameters:
    ///   - cleanUp: Called before the second signal ends the process.
    ///   - stop: Called on the first signal, on a private queue.
    init(
        cleanUp: @escaping @Sendable () -> Void = {},
        _ stop: @escaping @Sendable () -> Void
    ) {
        let registered = DispatchGroup()
        sources = Self.signals.compactMap { number -> (any DispatchSourceSignal)? in
            // Signals that the parent process ignores, such as HUP under nohup, stay ignored.
            guard Self.handler(of: number) != .ignored else { return nil }
            systemSignal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in
                guard let self else { return }
                let (isFirst, _) = received.compareExchange(
                    expected: 0,
                    desired: number,
                    ordering: .acquiringAndReleasing
                )
                let now = MonotonicTime.now
                if isFirst {
                    receivedAt.store(now, ordering: .releasing)
                    stop()
                } else if number != SIGHUP,
                    now &- receivedAt.load(ordering: .acquiring) > Self.requestWindow
                {
                    cleanUp()
                    _exit(128 + number)
                }
            }
            // Dispatch registers the source asynchronously; until then, the signal is ignored.
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
            return source
        }
        _ = registered.wait(timeout: .now() + .seconds(Self.registrationTimeout))
    }

    private enum Handler { case ignored, other }

    private static func handler(of number: Int32) -> Handler {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return .other }
        #if canImport(Glibc)
        let pointer = action.__sigaction_handler.sa_handler
        #else
        let pointer = action.__sigaction_u.__sa_handler
        #endif
        let address = unsafeBitCast(pointer, to: Int.self)
        return address == unsafeBitCast(SIG_IGN, to: Int.self) ? .ignored : .other
    }
}

/// Calls `signal(2)`, which a property with the same name hides.
private func systemSignal(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    _ = signal(number, handler)
}
