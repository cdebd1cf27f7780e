import Telemetry

/// Something that can be ended before it ends by itself.
public protocol DatabaseCancellable: Sendable {
    /// Ends it; a second time it does nothing.
    func cancel()
}

/// Ends an observation when it is cancelled, or when the last reference to it goes.
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let action: Lock<(@Sendable () -> Void)?>

    /// Creates a cancellable from what it has to do, once.
    public init(cancel: @escaping @Sendable () -> Void) { action = Lock(cancel) }

    /// Wraps another one.
    public convenience init(_ base: some DatabaseCancellable) { self.init { base.cancel() } }

    deinit { cancel() }

    /// Ends the observation: from now on nothing is told that was not being told already.
    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
