import Telemetry

/// A snapshot or a snapshot pool that ``DatabaseStatus`` reports.
protocol LiveSnapshot: AnyObject, Sendable {
    var gate: AccessGate { get }

    var life: SnapshotLife { get }
}

final class SnapshotRegistry: Sendable {
    /// The lock protects the weak reference, so `@unchecked Sendable` is not required.
    private struct Entry {
        weak var snapshot: (any LiveSnapshot)?
    }

    private struct State {
        var lastNumber = 0
        var created = 0
        var creationsInProgress = 0
        var entries: [Entry] = []
    }

    private let state = Lock(State())

    /// Creates and registers a snapshot with the next number.
    func make<Snapshot: LiveSnapshot>(
        _ body: (_ number: Int) throws -> Snapshot
    ) rethrows -> Snapshot {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.creationsInProgress += 1
            return state.lastNumber
        }
        defer { state.withLock { $0.creationsInProgress -= 1 } }
        let snapshot = try body(number)
        state.withLock { state in
            state.entries.removeAll { $0.snapshot == nil }
            state.entries.append(Entry(snapshot: snapshot))
            state.created += 1
        }
        return snapshot
    }

    var createdCount: Int { state.withLock { $0.created } }

    var isCreatingSnapshot: Bool { state.withLock { $0.creationsInProgress > 0 } }

    /// The open snapshots, oldest first.
    var openSnapshots: [any LiveSnapshot] {
        state.withLock { $0.entries.compactMap(\.snapshot) }.filter { !$0.gate.isClosed }
    }
}
