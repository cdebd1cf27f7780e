extension Worker {
    /// Makes accesses until the load is over, as a task: the same turns as ``run()``, awaited.
    func runTask(_ sleeper: TaskSleeper) async {
        while !isAbandoned {
            lookAtKnobsIfTurned()
            if index >= settings.workers {
                guard await rest(sleeper) else { break }
                continue
            }
            guard let moment = nextMoment() else { return }
            guard let turn = await awaitTurn(moment, sleeper) else {
                leave(moment)
                break
            }
            await performOperation(turn)
        }
        leaveRest()
    }

    /// Waits while its client has enough workers without it; false when the load is over.
    private func rest(_ sleeper: TaskSleeper) async -> Bool {
        while true {
            switch resting() {
            case .over, .turn: return false
            case .turned: return true
            case .sleep(let deadline): await sleeper.sleep(until: deadline)
            }
        }
    }

    private func awaitTurn(_ moment: UInt64, _ sleeper: TaskSleeper) async -> Turn? {
        var waiting = Waiting(moment: moment, epoch: seenEpoch)
        while true {
            switch look(&waiting) {
            case .turn(let turn): return turn
            case .over, .turned: return nil
            case .sleep(let deadline): await sleeper.sleep(until: deadline)
            }
        }
    }

    /// Makes one access that runs an operation of the mix.
    private func performOperation(_ turn: Turn) async {
        let operation = drawOperation()
        let access = plan.accesses[operation]
        values.begin()
        guard let begun = begin(operation, turn) else { return }
        var retries = plan.client.busyRetries
        while true {
            // The body runs on another thread while this task awaits it: never both at once.
            nonisolated(unsafe) let worker = self
            nonisolated(unsafe) let attempt = TaskAttempt()
            let failure: (any Error)?
            do {
                if let closures {
                    let start = clock.now()
                    let own = closures.makeAccess(of: plan.name.name)
                    defer { attempt.entry = own.entered ?? start }
                    try await closures.run(plan.name.name, own)
                } else if let interrupts = plan.interrupts {
                    try await performCancellable(operation, access, attempt, interrupts)
                } else {
                    try await target.performAsync(access, as: plan.name) { session in
                        worker.enter(attempt)
                        try worker.perform(operation, in: session)
                    }
                }
                failure = nil
            } catch {
                failure = error
            }
            if conclude(begun, entry: attempt.entry, nil, failure, &retries) { return }
        }
    }

    /// Notes that an attempt is inside its closure, and so holds a connection.
    private func enter(_ attempt: TaskAttempt) {
        let now = clock.now()
        attempt.entry = now
        recorder.enter(at: now)
    }

    /// The same in a task of its own, which others can cancel.
    private func performCancellable(
        _ operation: Int,
        _ access: WorkloadAccess,
        _ attempt: TaskAttempt,
        _ interrupts: ClientInterrupts
    ) async throws {
        nonisolated(unsafe) let worker = self
        nonisolated(unsafe) let attempt = attempt
        let own = RunningAccess()
        if plan.client.supersedes { interrupts.interruptAll(but: own, at: clock.now()) }
        let task = Task.detached(executorPreference: TaskThreads.shared) { [target, plan] in
            try await target.performAsync(access, as: plan.name) { session in
                worker.enter(attempt)
                try worker.perform(operation, in: session)
            }
        }
        try? own.enter { task.cancel() }
        interrupts.add(own)
        let ticket = plan.client.cancelAfter.flatMap { after in
            alarm?.set(at: clock.now() &+ after.wholeNanoseconds) { [clock] in
                interrupts.interrupt(own, at: clock.now())
            }
        }
        let result = await task.result
        if let ticket { alarm?.cancel(ticket) }
        own.leave()
        switch result {
        case .success: interrupts.remove(own, wasInterrupted: false, at: clock.now())
        case .failure(let error):
            interrupts.remove(
                own,
                wasInterrupted: failure(of: error) == .interrupted,
                at: clock.now()
            )
            throw error
        }
    }
}

/// What an awaited attempt tells about itself.
///
/// The task that awaits it and the thread that makes it take turns.
final class TaskAttempt {
    /// When the closure was entered, on the clock; nil when it was not.
    var entry: UInt64?
}
