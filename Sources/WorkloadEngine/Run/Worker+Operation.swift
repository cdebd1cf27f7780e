extension Worker {
    /// Makes one access that runs an operation of the mix.
    func performOperation(_ access: WorkloadAccess, _ turn: Turn) {
        let operation = drawOperation()
        let statements = plan.operations[operation]
        values.begin()
        self.access(operation, turn) { attempt in
            try target.perform(access, as: plan.name) { session in
                attempt.entry = clock.now()
                for statement in statements {
                    try session.run(statement.sql, values.values(of: statement))
                }
            }
        }
    }

    /// Interrupts whatever runs.
    func performInterrupt(_ turn: Turn) {
        access(0, turn) { attempt in
            attempt.entry = clock.now()
            target.interrupt()
        }
        events.note("\(plan.name.name) interrupts")
    }
}
