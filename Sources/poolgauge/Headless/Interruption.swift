import ArgumentParser
import Dispatch
import Scenarios
import Synchronization
import Telemetry
import WorkloadEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A handler that ends a command early on `SIGINT`, `SIGTERM`, `SIGHUP`, or `SIGQUIT`.
///
/// A second signal removes the temporary files and ends the process immediately. Signals that
/// arrive shortly after the first signal belong to the same request. Every later `SIGHUP` also
/// belongs to that request, because a closed terminal sends `SIGHUP` several times.
///
/// A command with separately interruptible parts uses one interruption, and calls ``begin(_:)`` at
/// the start of each part.
final class Interruption: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// The time after a request's first signal during which other signals belong to the same
    /// request, in nanoseconds.
    private static let requestTime: UInt64 = 300_000_000

    private struct State {
        /// The signal that ended the current part, if any.
        var receivedSignal: Int32?
        /// The time of the last request's first signal, in nanoseconds.
        var receivedAt: UInt64?
        /// A closure that ends the current part early, or `nil` if a signal ends the process.
        var stopHandler: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let cleanUp: @Sendable () -> Void
    private let clock: @Sendable () -> UInt64
    private static let queue = DispatchQueue(label: "poolgauge.signals")

    /// The signal sources of this process and the receiver of their signals.
    private struct Registration {
        /// One source for each signal.
        ///
        /// The sources are never canceled, because Dispatch may not deliver signals to a
        /// replacement.
        var sources: [any DispatchSourceSignal] = []
        weak var interruption: Interruption?
    }

    private static let registration = Mutex(Registration())

    var signal: Int32? { state.withLock { $0.receivedSignal } }

    /// The time limit for registering the sources, in seconds.
    ///
    /// After this time, the command runs even if it cannot receive signals.
    private static let registrationTimeout = 5

    /// Starts receiving signals, and returns after the sources are registered.
    ///
    /// - Parameters:
    ///   - clock: A closure that returns the time, in nanoseconds.
    ///   - cleanUp: A closure to run before a signal ends the process.
    ///   - stop: A closure to run on the signal queue at the first signal, or `nil` if the first
    ///     signal ends the process.
    init(
        clock: @escaping @Sendable () -> UInt64 = monotonicNanoseconds,
        cleanUp: @escaping @Sendable () -> Void = {},
        _ stop: (@Sendable () -> Void)?
    ) {
        state = Mutex(State(stopHandler: stop))
        self.cleanUp = cleanUp
        self.clock = clock
        Self.listen(self)
    }

    private static func listen(_ interruption: Interruption) {
        let registered = DispatchGroup()
        registration.withLock { registration in
            registration.interruption = interruption
            guard registration.sources.isEmpty else { return }
            registration.sources = signals.compactMap { number -> (any DispatchSourceSignal)? in
                // Keep ignoring signals that the parent process ignores, such as SIGHUP under
                // nohup.
                guard handler(of: number) != .ignored else { return nil }
                systemSignal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler {
                    Self.registration.withLock { $0.interruption }?.receive(number)
                }
                // Dispatch registers the source asynchronously. Until then, the signal is ignored.
                registered.enter()
                source.setRegistrationHandler { registered.leave() }
                source.resume()
                return source
            }
        }
        _ = registered.wait(timeout: .now() + .seconds(registrationTimeout))
    }

    /// Begins a separately interruptible part of the command.
    ///
    /// - Parameter stop: A closure to run at the first signal, as in ``init(clock:cleanUp:_:)``.
    func begin(_ stop: (@Sendable () -> Void)?) {
        state.withLock { state in
            state.receivedSignal = nil
            state.stopHandler = stop
        }
    }

    private enum Action {
        case stop(@Sendable () -> Void)
        case exit
    }

    private func receive(_ number: Int32) {
        let now = clock()
        let action: Action? = state.withLock { state in
            if let lastTime = state.receivedAt, now &- lastTime <= Self.requestTime { return nil }
            guard state.receivedSignal == nil else { return number == SIGHUP ? nil : .exit }
            guard let stop = state.stopHandler else { return .exit }
            state.receivedSignal = number
            state.receivedAt = now
            return .stop(stop)
        }
        switch action {
        case .stop(let stop): stop()
        case .exit:
            DriverProcess.killAll()
            BuiltInDriver.removeFolder()
            cleanUp()
            _exit(128 + number)
        case nil: break
        }
    }

    /// Returns the exit code of the command: the code for the signal, if any, or for `status`.
    func exitCode(or status: ExitStatus) -> ExitCode { ExitCode(signal, or: status) }

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

/// Calls `signal(2)`, which the `signal` property shadows in the class.
private func systemSignal(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    _ = signal(number, handler)
}

extension ExitCode {
    /// Creates the exit code for a signal or, without a signal, for a status.
    init(_ signal: Int32?, or status: ExitStatus) {
        self.init(signal.map { 128 + $0 } ?? status.rawValue)
    }
}
