import Telemetry

/// A snapshot or a snapshot pool that ``DatabaseStatus`` reports.
protocol LiveSnapshot: AnyObject, Sendable {
    /// The gate of the snapshot's connections.
    var gate: AccessGate { get }

    /// The access that created the snapshot.
    var site: AccessSite { get }

    /// Returns the status of the snapshot at `now`.
    func snapshotStatus(at now: UInt64) -> SnapshotStatus
}

/// The existing snapshots of a pool.
final class SnapshotRegister: Sendable {
    /// The weak reference is read and written only while the lock is held, so `@unchecked` is not
    /// required.
    private struct Entry {
        weak var snapshot: (any LiveSnapshot)?
    }

    private struct State {
        var numbers = 0
        var created = 0
        var creationsInProgress = 0
        var entries: [Entry] = []
    }

    private let state = Lock(State())

    /// Creates a snapshot with the next number and registers it.
    ///
    /// - Parameters:
    ///   - site: The call site of the access that creates the snapshot. ``createdCount`` excludes
    ///     uncounted accesses.
    ///   - body: Creates the snapshot.
    /// - Returns: The snapshot.
    func make<Snapshot: LiveSnapshot>(
        at site: AccessSite,
        _ body: (_ number: Int) throws -> Snapshot
    ) rethrows -> Snapshot {
        let number = state.withLock { state in
            state.numbers += 1
            state.creationsInProgress += 1
            return state.numbers
        }
        defer { state.withLock { $0.creationsInProgress -= 1 } }
        let snapshot = try body(number)
        state.withLock { state in
            state.entries.removeAll { $0.snapshot == nil }
            state.entries.append(Entry(snapshot: snapshot))
            if !site.isUncounted { state.created += 1 }
        }
        return snapshot
    }

    /// The number of snapshots that counted accesses have created.
    var createdCount: Int { state.withLock { $0.created } }

    /// Whether a snapshot is being created.
    var isCreatingSnapshot: Bool { state.withLock { $0.creationsInProgress > 0 } }

    /// The snapshots that exist and are open, oldest first.
    var alive: [any LiveSnapshot] {
        state.withLock { $0.entries.compactMap(\.snapshot) }.filter { !$0.gate.isClosed }
    }
}
