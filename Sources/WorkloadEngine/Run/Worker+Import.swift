import Text

extension Worker {
    /// Inserts rows in batches.
    ///
    /// Each batch is a separate access and transaction. The first batch uses the turn's intended
    /// start. Each later batch starts after the previous one ends. If the load ends, no further
    /// batches start.
    func performImport(_ turn: Turn, rows: Int, batch: Int) {
        var turn = turn
        var rest = rows
        events.note("\(plan.name.name) imports \(HumanUnits.exact(UInt64(max(rows, 0)), "row"))")
        while rest > 0, !isAbandoned {
            let size = min(max(1, batch), rest)
            performBatch(turn, rows: size)
            rest -= size
            let now = clock.now()
            let moment = control.loadTime(of: now)
            guard rest > 0, waitWhilePaused(), moment < phases.end else { return }
            turn = Turn(
                intended: now,
                phase: phases.place(at: moment),
                isScheduled: false,
                wasFree: false
            )
        }
    }

    private func performBatch(_ turn: Turn, rows: Int) {
        let statements = plan.operations[0]
        access(0, turn) { attempt in
            try target.perform(.write, as: plan.name) { session in
                attempt.entry = clock.now()
                for _ in 0..<rows {
                    values.begin()
                    for statement in statements {
                        try session.run(statement.sql, values.values(of: statement))
                    }
                }
            }
        }
    }

    /// Waits until the load resumes.
    ///
    /// - Returns: `true` if the load is running, or `false` if the load is over.
    private func waitWhilePaused() -> Bool {
        while true {
            switch control.stage {
            case .running: return true
            case .paused: sleeper.sleep(until: .max)
            case .stopped, .sealed: return false
            }
        }
    }
}
