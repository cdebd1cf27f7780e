import Telemetry

/// What somebody at the dashboard asks for while the load runs: snapshots, on a thread of its own
/// so that a screen never waits for the database.
final class UserCommands: Sendable {
    /// Something to do.
    enum Command: Sendable {
        /// Take a snapshot and keep it.
        case makeSnapshot
        /// Release the snapshot with this label, or, for nil, the oldest, that was taken so.
        case releaseSnapshot(label: String?)
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
        /// Its label in samples; nil where the library tells none.
        var label: String?
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
                let known = kept.compactMap(\.label)
                // Nobody else makes snapshots by this name: the one that is new is this one.
                let label = context.target.status()?.snapshots
                    .first { $0.origin.name == Self.name.name && !known.contains($0.label) }?.label
                let digest = try StateDigest.of(snapshot, [])
                kept.append(Kept(snapshot: snapshot, label: label, digest: digest))
                context.events.note("you took a snapshot: \(kept.count) kept")
            } catch {
                context.events.note("your snapshot failed: \(error)", .error)
            }
        case .releaseSnapshot(let label):
            let place = label == nil ? kept.indices.first : kept.firstIndex { $0.label == label }
            guard let place else {
                let which = label.map { "\($0) is no snapshot of yours" }
                context.events.note(which ?? "there is no snapshot of yours to release", .warning)
                return
            }
            release(kept.remove(at: place), context)
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
