import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Lets `SIGINT`, `SIGTERM`, `SIGHUP` and `SIGQUIT` end a run early instead of killing it.
///
/// The second one ends the process at once, after what must not stay was removed. What comes within
/// a moment of the first is the same request, and so is every further `SIGHUP`: a terminal that
/// goes away says so several times.
final class Interruption: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Nanoseconds within which signals are one request.
    private static let moment: UInt64 = 300_000_000

    private let received = Atomic<Int32>(0)
    private let receivedAt = Atomic<UInt64>(0)
    private let queue = DispatchQueue(label: "poolgauge.signals")
    // Set once by the initializer, before anybody else knows the object, and never read: it keeps
    // the sources alive.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    /// The signal that came, if one did.
    var signal: Int32? {
        let number = received.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// Seconds after which nobody waits for a source any more: a run that hears no signal is a run.
    private static let patience = 5

    /// Starts listening; what comes after the return is heard.
    ///
    /// - Parameters:
    ///   - cleanUp: Called before the second signal ends the process.
    ///   - stop: Called at the first one, on a queue of its own.
    init(
        cleanUp: @escaping @Sendable () -> Void = {},
        _ stop: @escaping @Sendable () -> Void
    ) {
        let registered = DispatchGroup()
        sources = Self.signals.compactMap { number -> (any DispatchSourceSignal)? in
            // What the parent told us to ignore, as nohup does with HUP, stays ignored.
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
                    now &- receivedAt.load(ordering: .acquiring) > Self.moment
                {
                    cleanUp()
                    _exit(128 + number)
                }
            }
            // A thread of Dispatch's takes the signal over some time after it was asked to; until
            // then it is ignored.
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
            return source
        }
        _ = registered.wait(timeout: .now() + .seconds(Self.patience))
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

/// `signal(2)`, whose name is also a property's.
private func systemSignal(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    _ = signal(number, handler)
}
