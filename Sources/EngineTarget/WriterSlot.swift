import Synchronization
import Telemetry
import WorkloadEngine

/// A record of the connection that holds or last held a file's write lock.
///
/// A file has only one write lock, so all connections of a target share one slot.
final class WriterSlot: Sendable {
    /// The connection's number, shifted left by one bit.
    ///
    /// The low bit is 1 while the connection holds the lock. The value is 0 if no connection has
    /// held the lock.
    private let slot = Atomic<UInt64>(0)
    /// The name of the client that uses each connection, keyed by the connection's number.
    private let clientNames = Lock<[UInt64: String]>([:])

    struct Writer: Equatable {
        var client: String
        var isHolding: Bool
    }

    /// Records the client that uses a connection.
    func assign(_ connection: UInt64, to client: String) {
        clientNames.withLock { $0[connection] = client }
    }

    func acquire(_ connection: UInt64) { slot.store(connection << 1 | 1, ordering: .relaxed) }

    /// Records that a connection released the lock, unless a different connection has already
    /// acquired the lock.
    func release(_ connection: UInt64) {
        _ = slot.compareExchange(
            expected: connection << 1 | 1,
            desired: connection << 1,
            ordering: .relaxed
        )
    }

    /// Returns the writer, or `nil` if there is none or if `connection` is the writer's connection.
    func writer(otherThan connection: UInt64) -> Writer? {
        let value = slot.load(ordering: .relaxed)
        guard value != 0, value >> 1 != connection else { return nil }
        guard let client = clientNames.withLock({ $0[value >> 1] }) else { return nil }
        return Writer(client: client, isHolding: value & 1 == 1)
    }
}
