import Telemetry

/// What somebody at the dashboard asks for while the load runs: snapshots, on a thread of its own
/// so that a screen never waits for the database.
final class UserCommands: Sendable {
    /// Something to do.
    enum Command: Sendable {
        /// Take a snapshot and keep it.
        case makeSnapshot
        /// Release the oldest snapshot that was taken so.
        case releaseSnapshot
        /// Copy the log into the database.
        case checkpoint(CheckpointMode)
    }

    private struct State: Sendable {
        var commands: [Command] = []
        var sleeper: (any Sleeper)?
        var isOver = false
    }

    /// A snapshot that somebody keeps, with what it showed first.
    private struct Kept {
        var snapshot: any WorkloadSnapshot
        var digest: StateDigest
    }

    /// Who asks, in a status.
    static let name = WorkloadClientName("you")

    private let state = Lock(State())

    /// Asks for something; it happens soon, if the load runs.
    func ask(_ command: Command) {
        let sleeper = state.withLock { state in
            state.commands.append(command)
            return state.sleeper
        }
        sleeper?.wake()
    }

    /// Ends the thread, and releases what is kept.
    func finish() {
        let sleeper = state.withLock { state in
            state.isOver = true
            return state.sleeper
        }
        sleeper?.wake()
    }

    /// Says what wakes the thread; call it before the thread starts.
    func prepare(_ sleeper: any Sleeper) {
        state.withLock { $0.sleeper = sleeper }
    }

    /// Carries commands out until ``finish()``; the thread's whole life.
    func run(_ context: RunContext, _ sleeper: any Sleeper) {
        var kept: [Kept] = []
        while true {
            let (commands, isOver) = state.withLock { state in
                defer { state.commands.removeAll() }
                return (state.commands, state.isOver)
            }
            if isOver { break }
            for command in commands {
                carryOut(command, context, &kept)
            }
            sleeper.sleep(until: .max)
        }
        for snapshot in kept { release(snapshot, context) }
    }

    private func carryOut(_ command: Command, _ context: RunContext, _ kept: inout [Kept]) {
        switch command {
        case .makeSnapshot:
            guard context.target.supports(.snapshot) else {
                context.events.note("this arm has no snapshots", .warning)
                return
            }
            do {
                let snapshot = try context.target.makeSnapshot(as: Self.name)
                kept.append(Kept(snapshot: snapshot, digest: try .of(snapshot, [])))
                context.events.note("you took a snapshot: \(kept.count) kept")
            } catch {
                context.events.note("your snapshot failed: \(error)", .error)
            }
        case .releaseSnapshot:
            guard !kept.isEmpty else {
                context.events.note("there is no snapshot of yours to release", .warning)
                return
            }
            release(kept.removeFirst(), context)
            context.events.note("you released a snapshot: \(kept.count) kept")
        case .checkpoint(let mode):
            do {
                let result = try Checkpoint.run(mode, on: context.target, as: Self.name)
                context.events.note("you checkpoint, \(mode.rawValue): \(result)")
            } catch {
                context.events.note("your checkpoint failed: \(error)", .error)
            }
        }
    }

    /// Ends a snapshot, looking first whether it still shows what it showed.
    private func release(_ kept: Kept, _ context: RunContext) {
        defer { kept.snapshot.release() }
        do {
            let isStable = try StateDigest.of(kept.snapshot, []) == kept.digest
            context.stability.record(by: Self.name.name, isStable: isStable)
        } catch {
            context.events.note("your snapshot could not be read again: \(error)", .error)
        }
    }
}
