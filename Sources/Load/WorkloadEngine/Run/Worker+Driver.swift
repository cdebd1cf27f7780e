extension ClientPlan {
    /// The reason that drivers cannot perform the client's accesses, or `nil` if they can.
    var driverObstacle: String? {
        guard client.style == .sync else { return "its style is \(client.style.rawValue)" }
        guard case .operations = client.activity, !accesses.contains(.snapshot) else {
            return "drivers do not support this activity (\(client.activityName))"
        }
        if interrupts != nil { return "drivers do not support interrupts" }
        if !thenRead.isEmpty { return "drivers do not support concurrent reads" }
        for operation in operations.indices where driven(operation) == nil {
            return "drivers do not support 'into', 'if', and 'pause', or more than "
                + "\(Self.mostDrivenStatements) statements"
        }
        return nil
    }

    /// The client and its accesses, for a driver.
    var driverClient: DriverTarget.Client {
        let obstacle = driverObstacle
        let performed = accesses.enumerated().map { operation, access in
            DriverSetup.Access(access, (driven(operation) ?? []).map(\.plan.sql))
        }
        return DriverTarget.Client(
            name: name.name,
            workers: client.workers,
            obstacle: obstacle,
            accesses: obstacle == nil ? performed : []
        )
    }

    /// The maximum number of statements of an access in a driver.
    private static let mostDrivenStatements = 1000

    /// A statement that a driver runs.
    struct DrivenStatement {
        let plan: StatementPlan
        /// Whether the statement starts another repetition, which has new values.
        var startsRepetition = false
    }

    /// Returns the statements of an operation with all repetitions, or `nil` if they depend on the
    /// results of earlier steps or on the run, or are too many.
    func driven(_ operation: Int) -> [DrivenStatement]? {
        guard let steps = steps[operation] else {
            return operations[operation].map { DrivenStatement(plan: $0) }
        }
        return Self.driven(steps)
    }

    private static func driven(_ steps: [StepPlan]) -> [DrivenStatement]? {
        var statements: [DrivenStatement] = []
        for step in steps {
            switch step {
            case .run(let plan): statements.append(DrivenStatement(plan: plan))
            case .times(let count, let steps):
                guard let body = driven(steps), !body.isEmpty,
                    count * body.count <= mostDrivenStatements
                else { return nil }
                for number in 0..<count {
                    let first = statements.count
                    statements += body
                    if number > 0 { statements[first].startsRepetition = true }
                }
            case .fetch, .when, .pause: return nil
            }
        }
        return statements.count <= mostDrivenStatements ? statements : nil
    }
}

extension Worker {
    /// A worker's lane to a driver, and the order of each statement's parameters.
    struct DriverPart {
        let assignment: DriverTarget.Assignment
        /// The statements, indexed by operation.
        let statements: [[ClientPlan.DrivenStatement]]
        /// The parameters, indexed by operation and statement.
        let parameters: [[DriverParameters]]

        init(_ assignment: DriverTarget.Assignment, _ plan: ClientPlan) {
            self.assignment = assignment
            statements = plan.operations.indices.map { plan.driven($0) ?? [] }
            parameters = statements.map { $0.map { DriverParameters(of: $0.plan.sql) } }
        }
    }

    private func add(_ operation: Int, to driver: DriverPart) {
        let lane = driver.assignment.lane
        lane.begin(driver.assignment.firstAccess + operation)
        for (statement, parameters) in zip(
            driver.statements[operation],
            driver.parameters[operation]
        ) {
            if statement.startsRepetition { values.beginRepetition() }
            lane.add(values.values(of: statement.plan), in: parameters.order)
        }
        lane.end()
    }

    /// Performs an access in a driver and waits for its end.
    func performDriven(_ operation: Int, turn: Turn, driver: DriverPart) {
        guard let started = begin(operation, turn: turn) else { return }
        var retries = plan.client.busyRetries
        while true {
            add(operation, to: driver)
            let isOver: Bool
            do {
                try driver.assignment.lane.send()
                let (answers, sent, received) = try driver.assignment.lane.receive()
                guard let answer = answers.first else { return }
                let wait = driver.assignment.cost.unexplainedWait(received &- sent, answer: answer)
                let entry = sent &+ wait &+ answer.wait
                isOver = conclude(started, answer: answer, entry: entry, retries: &retries)
            } catch {
                isOver = concludeBroken(started, with: error)
            }
            if isOver { return }
        }
    }

    private func conclude(
        _ started: StartedAccess,
        answer: DriverAnswer,
        entry: UInt64,
        retries: inout Int
    ) -> Bool {
        let failure = answer.failure.map {
            DriverLane.AccessFailure(code: $0.code, message: $0.message)
        }
        return conclude(
            started,
            entry: entry,
            processorTime: nil,
            with: failure,
            retries: &retries,
            end: entry &+ answer.service
        )
    }

    private func concludeBroken(_ started: StartedAccess, with error: any Error) -> Bool {
        if let error = error as? DriverLane.Broken, control.stage < .stopped,
            let target = target as? DriverTarget
        {
            control.fail(because: target.explain(error))
        }
        var retries = 0
        return conclude(started, entry: nil, processorTime: nil, with: error, retries: &retries)
    }

    /// Whether a driver can perform several accesses of the client without waiting for the run.
    ///
    /// The accesses of a batch use values that are drawn before the batch starts, so no other
    /// client may depend on them.
    var mayBatch: Bool {
        plan.keepsWorkersBusy && plan.turns == nil && plan.client.busyRetries == 0
            && !values.publishes
    }

    /// Performs accesses in batches until the load pauses, changes, or ends.
    ///
    /// While the driver performs one batch, this worker records the previous one.
    func performBatches(_ turn: Turn, driver: DriverPart) {
        var pending: [[Int]] = []
        var previousEnd = clock.now()
        do {
            repeat {
                if mayContinue(isFirst: pending.isEmpty) {
                    pending.append(try sendBatch(driver))
                }
                guard pending.count > 1 || !mayContinue(isFirst: false) else { continue }
                previousEnd = try receive(pending.removeFirst(), after: previousEnd, driver: driver)
            } while !pending.isEmpty && !isAbandoned
        } catch {
            if let error = error as? DriverLane.Broken, control.stage < .stopped,
                let target = target as? DriverTarget
            {
                control.fail(because: target.explain(error))
            }
            isAbandoned = true
        }
    }

    private func mayContinue(isFirst: Bool) -> Bool {
        if isFirst { return true }
        guard control.stage == .running, plan.settings.epoch == seenEpoch else { return false }
        guard let moment = nextMoment() else { return false }
        return control.clockTime(of: moment) <= clock.now()
    }

    private func sendBatch(_ driver: DriverPart) throws -> [Int] {
        var operations: [Int] = []
        repeat {
            let operation = drawOperation()
            values.begin()
            add(operation, to: driver)
            operations.append(operation)
        } while driver.assignment.lane.hasRoom
        try driver.assignment.lane.send()
        return operations
    }

    /// Waits for the answers to a batch, and records its accesses one after another.
    ///
    /// - Returns: The end of the last access.
    private func receive(
        _ operations: [Int],
        after previousEnd: UInt64,
        driver: DriverPart
    ) throws -> UInt64 {
        // Until the answers arrive, the first access is running.
        guard var started = beginBatched(operations[0], at: clock.now()) else {
            isAbandoned = true
            return previousEnd
        }
        var retries = 0
        let batch: (answers: [DriverAnswer], sent: UInt64, received: UInt64)
        do { batch = try driver.assignment.lane.receive() } catch {
            _ = conclude(started, entry: nil, processorTime: nil, with: error, retries: &retries)
            throw error
        }
        let total = batch.answers.reduce(0) { $0 &+ $1.wait &+ $1.service }
        var start = max(previousEnd, batch.received &- min(batch.received, total))
        for (index, answer) in batch.answers.enumerated() {
            if index > 0 {
                guard control.loadTime(of: start) < phases.end,
                    let next = beginBatched(operations[index], at: start)
                else { return start }
                started = next
            }
            started.start = start
            started.intended = start
            _ = conclude(started, answer: answer, entry: start &+ answer.wait, retries: &retries)
            start = start &+ answer.wait &+ answer.service
        }
        return start
    }

    private func beginBatched(_ operation: Int, at start: UInt64) -> StartedAccess? {
        let phase = phases.place(at: control.loadTime(of: start))
        let mayStart = recorder.begin(operation, in: phase, lag: nil, wasFree: false, at: start)
        return mayStart
            ? StartedAccess(intended: start, start: start, isMeasured: phase.isMeasured) : nil
    }
}
