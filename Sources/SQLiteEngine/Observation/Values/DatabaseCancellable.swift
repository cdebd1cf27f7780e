import Telemetry

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
