import Foundation
import Text

extension Worker {
    func performInterrupt(_ turn: Turn) {
        access(0, turn) { attempt in
            attempt.entry = clock.now()
            interrupts.send { target.interrupt() }
            events.note("\(plan.name.name) interrupted every statement")
        }
    }

    func perform(_ action: ClientAction, _ turn: Turn) {
        switch action {
        case .interrupt(let client):
            access(0, turn) { attempt in
                let now = clock.now()
                attempt.entry = now
                plan.interruptTarget?.interruptAll(at: now)
                events.note("\(plan.name.name) interrupted \(client)")
            }
        case .interruptConnection(let label):
            access(0, turn) { attempt in
                attempt.entry = clock.now()
                guard interrupts.send({ target.interrupt(connection: label) }) else {
                    events.note("there is no connection \(label) to interrupt", .warning)
                    return
                }
                events.note("\(plan.name.name) interrupted \(label)")
            }
        case .checkpoint(let mode): performCheckpoint(mode, turn)
        case .backup(let pages): performBackup(pages, turn)
        }
    }

    private func performCheckpoint(_ mode: CheckpointMode, _ turn: Turn) {
        access(0, turn) { attempt in
            var start = clock.now()
            let result = try Checkpoint.run(mode, on: target, as: plan.name) {
                start = clock.now()
                attempt.entry = start
            }
            plan.tally.count(result)
            if result.isBlocked {
                let time = clock.now() &- start
                countBlocked(mode, for: time, isMeasured: turn.phase.isMeasured)
            }
            events.note(
                "\(plan.name.name) ran a \(mode.rawValue) checkpoint: \(result)",
                result.isBlocked ? .warning : .info
            )
        }
    }

    private func performBackup(_ pages: Int, _ turn: Turn) {
        guard let folder else { return }
        let file = folder.appendingPathComponent("backup-\(plan.name.name)-\(index).sqlite")
        defer { try? FileManager.default.removeItem(at: file) }
        var isComplete = false
        access(0, turn) { attempt in
            attempt.entry = clock.now()
            try target.backup(to: file.path, pagesPerStep: pages, as: plan.name) { _ in
                // Stop the backup when the run stops, because a backup may take a long time.
                if self.control.stage >= .stopped { throw RunningAccess.Superseded() }
            }
            isComplete = true
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size]) as? Int
        guard isComplete, let size else { return }
        plan.tally.countBackup(bytes: UInt64(size))
        events.note("\(plan.name.name) made a backup of \(HumanUnits.exact(UInt64(size), "byte"))")
    }
}
