extension Worker {
    func performSnapshot(_ turn: Turn) {
        values.begin()
        let statements = plan.operations[0].map { statement in
            StateDigest.Query(sql: statement.sql, values: values.values(of: statement))
        }
        access(0, turn) { attempt in
            let snapshot = try target.makeSnapshot(as: plan.name)
            defer { snapshot.release() }
            let entry = clock.now()
            attempt.entry = entry
            if plan.isHoldNoteworthy { events.note("\(plan.name.name) took a snapshot") }
            let first = try StateDigest(of: snapshot, queries: statements)
            guard hold(from: entry) else { return }
            stability.record(
                by: plan.name.name,
                isStable: try StateDigest(of: snapshot, queries: statements) == first
            )
            if plan.isHoldNoteworthy { events.note("\(plan.name.name) released its snapshot") }
        }
    }
}
