extension Worker {
    func runTask(_ sleeper: TaskSleeper) async {
        while !isAbandoned {
            updateSettings()
            if index >= settings.workers {
                guard await waitWhileSurplus(sleeper) else { break }
                continue
            }
            guard let moment = nextMoment() else { return }
            guard let turn = await awaitTurn(moment, sleeper) else {
                countUnstarted(moment)
                break
            }
            await performOperation(turn)
        }
        countRemainingArrivals()
    }

    /// Waits while the worker is surplus.
    ///
    /// - Returns: `true` if the settings changed, or `false` if the load is over.
    private func waitWhileSurplus(_ sleeper: TaskSleeper) async -> Bool {
        while true {
            switch surplusAction() {
            case .over, .turn: return false
            case .settingsChanged: return true
            case .sleep(let deadline): await sleeper.sleep(until: deadline)
            }
        }
    }

    private func awaitTurn(_ moment: UInt64, _ sleeper: TaskSleeper) async -> Turn? {
        var wait = TurnWait(moment: moment, epoch: seenEpoch)
        while true {
            switch nextAction(&wait) {
            case .turn(let turn): return turn
            case .over, .settingsChanged: return nil
            case .sleep(let deadline): await sleeper.sleep(until: deadline)
            }
        }
    }

    private func performOperation(_ turn: Turn) async {
        let operation = drawOperation()
        let access = plan.accesses[operation]
        values.begin()
        guard let started = begin(operation, turn) else { return }
        var retries = plan.client.busyRetries
        while true {
            // Only one thread uses the worker and the attempt at a time, because this task waits
            // while the closure runs on another thread.
            nonisolated(unsafe) let worker = self
            nonisolated(unsafe) let attempt = TaskAttempt()
            let failure: (any Error)?
            do {
                if let closures {
                    let start = clock.now()
                    let access = closures.makeAccess(of: plan.name.name)
                    defer { attempt.entry = access.entryTime ?? start }
                    try await closures.run(plan.name.name, access)
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
            if conclude(started, entry: attempt.entry, nil, failure, &retries) { return }
        }
    }

    private func enter(_ attempt: TaskAttempt) {
        let now = clock.now()
        attempt.entry = now
        recorder.enter(at: now)
    }

    /// Performs an access in a separate task that other accesses can cancel.
    private func performCancellable(
        _ operation: Int,
        _ access: WorkloadAccess,
        _ attempt: TaskAttempt,
        _ interrupts: ClientInterrupts
    ) async throws {
        nonisolated(unsafe) let worker = self
        nonisolated(unsafe) let attempt = attempt
        let running = RunningAccess()
        if plan.client.supersedes { interrupts.interruptAll(but: running, at: clock.now()) }
        let task = Task.detached(executorPreference: TaskThreads.shared) { [target, plan] in
            try await target.performAsync(access, as: plan.name) { session in
                worker.enter(attempt)
                try worker.perform(operation, in: session)
            }
        }
        try? running.enter { task.cancel() }
        interrupts.add(running)
        let ticket = plan.client.cancelAfter.flatMap { after in
            alarm?.set(at: clock.now() &+ after.wholeNanoseconds) { [clock] in
                interrupts.interrupt(running, at: clock.now())
            }
        }
        let result = await task.result
        if let ticket { alarm?.cancel(ticket) }
        running.leave()
        switch result {
        case .success: interrupts.remove(running, wasInterrupted: false, at: clock.now())
        case .failure(let error):
            let isRequested = interrupts.remove(
                running,
                wasInterrupted: failure(of: error) == .interrupted,
                at: clock.now()
            )
            throw isRequested ? RunningAccess.Interrupted() : error
        }
    }
}

/// The time at which the closure of an asynchronous attempt started.
///
/// The task that awaits an access and the thread that performs the access never use this object at
/// the same time.
final class TaskAttempt {
    /// The clock time at which the closure started, or `nil` if it did not start.
    var entry: UInt64?
}
