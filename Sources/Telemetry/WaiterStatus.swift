/// An access that waits for a connection.
public struct WaiterStatus: Sendable, Codable, Equatable {
    /// The origin of the access.
    public var origin: AccessOrigin
    /// The time for which the access has waited, in nanoseconds.
    public var waitedNanoseconds: UInt64
    /// Whether the waiter is a suspended task (`true`) or a blocked thread (`false`).
    public var isAsync: Bool

    /// Creates a status.
    public init(origin: AccessOrigin, waitedNanoseconds: UInt64, isAsync: Bool = false) {
        self.origin = origin
        self.waitedNanoseconds = waitedNanoseconds
        self.isAsync = isAsync
    }
}
