extension Worker {
    /// Performs a read, then holds the connection and keeps its transaction open for the hold time.
    func performHold(_ turn: Turn) {
        let statements = plan.operations[0]
        values.begin()
        access(0, turn) { attempt in
            try target.perform(.read, as: plan.name) { session in
                let entry = clock.now()
                attempt.entry = entry
                for statement in statements {
                    try session.run(statement.sql, values.values(of: statement))
                }
                if plan.isHoldNoteworthy { events.note("\(plan.name.name) holds its connection") }
                _ = hold(from: entry)
            }
        }
    }
}
