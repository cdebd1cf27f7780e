import Telemetry

/// What a status shows of a snapshot, or of a pool of them.
protocol LiveSnapshot: AnyObject, Sendable {
    /// Its connections.
    var gate: AccessGate { get }

    /// The snapshot as it looks at `now`.
    func snapshotStatus(at now: UInt64) -> SnapshotStatus
}

/// The snapshots of a pool that are alive.
final class SnapshotRegister: Sendable {
    /// `@unchecked`-free: a weak reference is only read and written under the lock.
    private struct Entry {
        weak var snapshot: (any LiveSnapshot)?
    }

    private struct State {
        var numbers = 0
        var made = 0
        var beingMade = 0
        var entries: [Entry] = []
    }

    private let state = Lock(State())

    /// Makes a snapshot with the next number and remembers it.
    func make<Snapshot: LiveSnapshot>(
        _ body: (_ number: Int) throws -> Snapshot
    ) rethrows -> Snapshot {
        let number = state.withLock { state in
            state.numbers += 1
            state.beingMade += 1
            return state.numbers
        }
        defer { state.withLock { $0.beingMade -= 1 } }
        let snapshot = try body(number)
        state.withLock { state in
            state.entries.removeAll { $0.snapshot == nil }
            state.entries.append(Entry(snapshot: snapshot))
            state.made += 1
        }
        return snapshot
    }

    /// How many were made.
    var madeCount: Int { state.withLock { $0.made } }

    /// Whether one is being made.
    var isMaking: Bool { state.withLock { $0.beingMade > 0 } }

    /// Those that are alive and open, oldest first.
    var alive: [any LiveSnapshot] {
        state.withLock { $0.entries.compactMap(\.snapshot) }.filter { !$0.gate.isClosed }
    }
}
