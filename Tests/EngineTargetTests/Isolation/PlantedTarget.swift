import EngineTarget
import Telemetry
import WorkloadEngine

/// A correct target with a bug added.
final class PlantedTarget: WorkloadTarget {
    /// A factory that opens correct targets and adds the bug.
    struct Factory: WorkloadTargetFactory {
        var bug: PlantedBug?

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            let target = try EngineTargetFactory().open(arm, at: path)
            guard let bug else { return target }
            return PlantedTarget(target, bug)
        }
    }

    /// An error that rolls back a transaction, which is then reported as committed.
    private struct SilentRollback: Error {}

    private struct State {
        var reads = 0
        var writes = 0
        var older: (any WorkloadSnapshot)?
        var newer: (any WorkloadSnapshot)?
    }

    private let base: any WorkloadTarget
    private let bug: PlantedBug
    private let state = Lock(State())
    private let dirtyReads = DirtyReadQueue()

    init(_ base: any WorkloadTarget, _ bug: PlantedBug) {
        self.base = base
        self.bug = bug
    }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        switch access {
        case .read: try read(as: client, body)
        case .write: try write(as: client, body)
        case .writeWithoutTransaction, .snapshot: try base.perform(access, as: client, body)
        }
    }

    // MARK: Reads

    private func read(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let number = state.withLock { state in
            state.reads += 1
            return state.reads
        }
        switch bug {
        case .staleRead:
            try renewSnapshots(every: 8, number, as: client)
            guard number.isMultiple(of: 4), let older = state.withLock({ $0.older }) else { break }
            return try older.read(body)
        case .nonMonotonicRead:
            try renewSnapshots(every: 12, number, as: client)
            let pair = state.withLock { ($0.older, $0.newer) }
            guard number % 12 > 3, let older = pair.0, let newer = pair.1 else { break }
            return try (number.isMultiple(of: 3) ? newer : older).read(body)
        case .readSkew:
            return try body(
                RoutedSession { sql, values in
                    var rows: [[WorkloadValue]] = []
                    try self.base.perform(.read, as: client) { rows = try $0.rows(sql, values) }
                    return rows
                }
            )
        case .dirtyRead:
            if try number.isMultiple(of: 2) && dirtyReads.read(body) { return }
        default: break
        }
        try base.perform(.read, as: client, body)
    }

    /// Creates a snapshot every `count` reads and keeps the previous one as the older snapshot.
    private func renewSnapshots(
        every count: Int,
        _ number: Int,
        as client: WorkloadClientName
    ) throws {
        guard number % count == 1 else { return }
        let fresh = try base.makeSnapshot(as: client)
        state.withLock { state in
            state.older = state.newer
            state.newer = fresh
        }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        bug == .movingSnapshot
            ? MovingSnapshot(base, client) : try base.makeSnapshot(as: client)
    }

    // MARK: Writes

    private func write(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let number = state.withLock { state in
            state.writes += 1
            return state.writes
        }
        switch bug {
        case .lostUpdate:
            let pending = Lock<[(sql: String, values: [WorkloadValue])]>([])
            try base.perform(.read, as: client) { session in
                try body(
                    RoutedSession(query: session.rows) { sql, values in
                        pending.withLock { $0.append((sql, values)) }
                    }
                )
            }
            try base.perform(.write, as: client) { session in
                for (sql, values) in pending.withLock({ $0 }) { try session.run(sql, values) }
            }
        case .abortedWrite:
            var failure: (any Error)?
            try base.perform(.write, as: client) { session in
                do { try body(session) } catch { failure = error }
            }
            if let failure { throw failure }
        case .intermediateRead:
            try base.perform(.writeWithoutTransaction, as: client, body)
        case .lostCommit where number.isMultiple(of: 5):
            do {
                try base.perform(.write, as: client) { session in
                    try body(session)
                    throw SilentRollback()
                }
            } catch is SilentRollback {}
        case .dirtyRead:
            try base.perform(.write, as: client) { session in
                try body(
                    RoutedSession(query: session.rows) { sql, values in
                        try session.run(sql, values)
                        self.dirtyReads.serve(session)
                    }
                )
            }
        default:
            try base.perform(.write, as: client, body)
        }
    }

    // MARK: Operations without a bug

    func supports(_ access: WorkloadAccess) -> Bool { base.supports(access) }
    func has(_ capability: WorkloadAbility) -> Bool { base.has(capability) }
    func check(_ sql: String) throws { try base.check(sql) }
    func interrupt() { base.interrupt() }
    func interrupt(connection label: String) -> Bool { base.interrupt(connection: label) }
    func failure(of error: any Error) -> WorkloadFailure { base.failure(of: error) }
    func status() -> DatabaseStatus? { base.status() }
    func restartTimes() { base.restartTimes() }
    func environment() throws -> [String: String] { try base.environment() }

    func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws {
        try await base.performAsync(access, as: client, body)
    }

    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws {
        try base.performWrite(as: client, body, thenPerforming: makeReading)
    }

    func close() throws {
        state.withLock { state in
            state.older?.release()
            state.newer?.release()
        }
        try base.close()
    }
}
