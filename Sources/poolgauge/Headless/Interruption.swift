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
///
/// A command with several parts that can be ended early has one interruption, and calls
/// ``begin(_:)`` for each of them.
final class Interruption: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Nanoseconds within which signals are one request.
    private static let moment: UInt64 = 300_000_000

    private struct State {
        /// The signal of this part.
        var received: Int32?
        /// When the first signal of a request came.
        var receivedAt: UInt64?
        /// What ends this part early; nil where nothing does.
        var stop: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let cleanUp: @Sendable () -> Void
    private let clock: @Sendable () -> UInt64
    private static let queue = DispatchQueue(label: "poolgauge.signals")

    /// What receives the signals of this program.
    private struct Listening {
        /// One source for each signal.
        ///
        /// They stay: Dispatch may not deliver a signal to a source that follows another one.
        var sources: [any DispatchSourceSignal] = []
        /// The newest interruption.
        weak var interruption: Interruption?
    }

    private static let listening = Mutex(Listening())

    /// The signal that came in this part, if one did.
    var signal: Int32? { state.withLock { $0.received } }

    /// Seconds after which nobody waits for a source any more: a run that hears no signal is a run.
    private static let patience = 5

    /// Starts listening; what comes after the return is heard.
    ///
    /// - Parameters:
    ///   - clock: The time in nanoseconds.
    ///   - cleanUp: Called before a signal ends the process.
    ///   - stop: Called at the first one, on a queue of its own; without it, the first signal ends
    ///     the process.
    init(
        clock: @escaping @Sendable () -> UInt64 = { MonotonicTime.now },
        cleanUp: @escaping @Sendable () -> Void = {},
        _ stop: (@Sendable () -> Void)?
    ) {
        state = Mutex(State(stop: stop))
        self.cleanUp = cleanUp
        self.clock = clock
        Self.listen(self)
    }

    /// Lets an interruption receive the signals from now on.
    private static func listen(_ interruption: Interruption) {
        let registered = DispatchGroup()
        listening.withLock { listening in
            listening.interruption = interruption
            guard listening.sources.isEmpty else { return }
            listening.sources = signals.compactMap { number -> (any DispatchSourceSignal)? in
                // What the parent told us to ignore, as nohup does with HUP, stays ignored.
                guard handler(of: number) != .ignored else { return nil }
                systemSignal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    Self.listening.withLock { $0.interruption }?.receive(number)
                }
                // A thread of Dispatch's takes the signal over some time after it was asked to;
                // until then it is ignored.
                registered.enter()
                source.setRegistrationHandler { registered.leave() }
                source.resume()
                return source
            }
        }
        _ = registered.wait(timeout: .now() + .seconds(patience))
    }

    /// Begins a part that a signal ends early: the next signal is a first one again.
    ///
    /// - Parameter stop: As for ``init(clock:cleanUp:_:)``.
    func begin(_ stop: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.received = nil
            state.stop = stop
        }
    }

    private enum Action {
        case stop(@Sendable () -> Void)
        case exit
    }

    /// Does what a signal asks for.
    private func receive(_ number: Int32) {
        let now = clock()
        let action: Action? = state.withLock { state in
            // Further signals of the same request.
            if let before = state.receivedAt, now &- before <= Self.moment { return nil }
            guard state.received == nil else { return number == SIGHUP ? nil : .exit }
            guard let stop = state.stop else { return .exit }
            state.received = number
            state.receivedAt = now
            return .stop(stop)
        }
        switch action {
        case .stop(let stop): stop()
        case .exit:
            cleanUp()
            _exit(128 + number)
        case nil: break
        }
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
