import Scenarios
import Telemetry

/// An object that runs the commands that a user starts in the dashboard during the load.
///
/// The commands run on a separate thread so that the screen never waits for the database.
final class UserCommands: Sendable {
    enum Command: Sendable {
        case makeSnapshot
        /// Releases the user's snapshot with this label, or the user's oldest snapshot if the label
        /// is `nil`.
        case releaseSnapshot(label: String?)
        case checkpoint(CheckpointMode)
    }

    private struct State: Sendable {
        var commands: [Command] = []
        var sleeper: (any Sleeper)?
        var isFinished = false
    }

    private struct KeptSnapshot {
        var snapshot: any WorkloadSnapshot
        /// The label in samples, or `nil` if the library does not report labels.
        var label: String?
        var digest: StateDigest
    }

    static let name = WorkloadClientName("you")

    private let state = Lock(State())

    func submit(_ command: Command) {
        let sleeper = state.withLock { state in
            state.commands.append(command)
            return state.sleeper
        }
        sleeper?.wake()
    }

    func finish() {
        let sleeper = state.withLock { state in
            state.isFinished = true
            return state.sleeper
        }
        sleeper?.wake()
    }

    func prepare(_ sleeper: any Sleeper) {
        state.withLock { $0.sleeper = sleeper }
    }

    /// Runs commands on the calling thread until ``finish()`` is called.
    func run(_ context: RunContext, _ sleeper: any Sleeper) {
        var kept: [KeptSnapshot] = []
        while true {
            let (commands, isFinished) = state.withLock { state in
                defer { state.commands.removeAll() }
                return (state.commands, state.isFinished)
            }
            if isFinished { break }
            for command in commands {
                perform(command, context: context, kept: &kept)
            }
            sleeper.sleep(until: .max)
        }
        for snapshot in kept { release(snapshot, context: context) }
    }

    private func perform(_ command: Command, context: RunContext, kept: inout [KeptSnapshot]) {
        var open: String { "\(kept.count) \(kept.count == 1 ? "is" : "are") open" }
        switch command {
        case .makeSnapshot:
            guard context.target.supports(.snapshot) else {
                context.events.note("this arm has no snapshots", severity: .warning)
                return
            }
            do {
                let snapshot = try context.target.makeSnapshot(as: Self.name)
                let known = kept.compactMap(\.label)
                // Only this thread takes snapshots with the name "you", so an unknown label with
                // this name belongs to the new snapshot.
                let label = context.target.status()?.snapshots
                    .first { $0.origin?.name == Self.name.name && !known.contains($0.label) }?.label
                let digest = try StateDigest(of: snapshot, queries: [])
                kept.append(KeptSnapshot(snapshot: snapshot, label: label, digest: digest))
                context.events.note("you took a snapshot; \(open)")
            } catch {
                context.events.note("your snapshot failed: \(error)", severity: .error)
            }
        case .releaseSnapshot(let label):
            let index = label == nil ? kept.indices.first : kept.firstIndex { $0.label == label }
            guard let index else {
                let which = label.map { "\($0) is not one of your snapshots" }
                context.events.note(which ?? "you have no snapshot to release", severity: .warning)
                return
            }
            release(kept.remove(at: index), context: context)
            context.events.note("you released a snapshot; \(open)")
        case .checkpoint(let mode):
            do {
                let result = try Checkpoint.run(mode, on: context.target, as: Self.name)
                context.events.note("you ran a \(mode.rawValue) checkpoint: \(result)")
            } catch {
                context.events.note("your checkpoint failed: \(error)", severity: .error)
            }
        }
    }

    private func release(_ kept: KeptSnapshot, context: RunContext) {
        defer { kept.snapshot.release() }
        do {
            let isStable = try StateDigest(of: kept.snapshot, queries: []) == kept.digest
            context.stability.record(by: Self.name.name, isStable: isStable)
        } catch {
            context.events.note("your snapshot could not be read again: \(error)", severity: .error)
        }
    }
}

/// The result of a checkpoint.
struct Checkpoint: Sendable, CustomStringConvertible {
    var isBlocked: Bool
    /// The number of frames in the log.
    var frames: Int64
    /// The number of frames in the log that have been copied to the database file.
    var copied: Int64

    /// The error for a database that has no write-ahead log.
    struct NoWriteAheadLogError: Error, CustomStringConvertible {
        let description = "this database has no write-ahead log"
    }

    /// Runs a checkpoint with a pragma, which every library supports.
    ///
    /// This method calls `onEntry` when the access has acquired its connection.
    ///
    /// - Throws: ``NoWriteAheadLogError``, or an error that the target throws.
    static func run(
        _ mode: CheckpointMode,
        on target: any WorkloadTarget,
        as client: WorkloadClientName,
        onEntry: () -> Void = {}
    ) throws -> Checkpoint {
        var checkpoint: Checkpoint?
        try target.perform(.writeWithoutTransaction, as: client) { session in
            onEntry()
            checkpoint = Checkpoint(try session.rows(mode.sql, []).first ?? [])
        }
        guard let checkpoint, checkpoint.frames >= 0 else { throw NoWriteAheadLogError() }
        return checkpoint
    }

    /// Creates a checkpoint from the pragma's `busy`, `log`, and `checkpointed` columns.
    private init?(_ row: [WorkloadValue]) {
        let numbers = row.compactMap { value in
            if case .integer(let number) = value { number } else { nil }
        }
        guard numbers.count == 3 else { return nil }
        isBlocked = numbers[0] != 0
        frames = numbers[1]
        copied = numbers[2]
    }

    var description: String {
        let blocked = isBlocked ? ", blocked by another connection" : ""
        return "\(copied) of \(frames) frames are in the database\(blocked)"
    }
}

extension CheckpointMode {
    var sql: String { "PRAGMA wal_checkpoint(\(rawValue.uppercased()))" }
}
