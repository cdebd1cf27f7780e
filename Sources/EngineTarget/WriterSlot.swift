import Synchronization
import Telemetry
import WorkloadEngine

/// The connection that holds or last held a file's write lock.
///
/// A file has one write lock, so one slot is enough for all connections of a target.
final class WriterSlot: Sendable {
    /// The number of the connection, shifted by one bit, and whether it holds the lock.
    ///
    /// The value is 0 if there is no connection.
    private let slot = Atomic<UInt64>(0)
    private let names = Lock<[UInt64: String]>([:])

    /// The connection that holds or last held the lock.
    struct Writer: Equatable {
        var client: String
        var isHolding: Bool
    }

    /// Assigns a connection to a client.
    func assign(_ connection: UInt64, to client: String) {
        names.withLock { $0[connection] = client }
    }

    /// Records that a connection has acquired the lock.
    func acquire(_ connection: UInt64) { slot.store(connection << 1 | 1, ordering: .relaxed) }

    /// Records that a connection has released the lock.
    ///
    /// If another connection has already acquired the lock, nothing changes.
    func release(_ connection: UInt64) {
        _ = slot.compareExchange(
            expected: connection << 1 | 1,
            desired: connection << 1,
            ordering: .relaxed
        )
    }

    /// Returns the writer, or `nil` if there was none or it is the given connection.
    func writer(otherThan connection: UInt64) -> Writer? {
        let value = slot.load(ordering: .relaxed)
        guard value != 0, value >> 1 != connection else { return nil }
        guard let client = names.withLock({ $0[value >> 1] }) else { return nil }
        return Writer(client: client, isHolding: value & 1 == 1)
    }
}
