extension ExecutionDecoder {
    mutating func push(_ start: TraceEvent.StepStart, _ event: TraceEvent) {
        push(.step(start, time: event.time), event.thread)
    }

    mutating func endStep(_ result: Int32, _ event: TraceEvent) {
        guard case .step(let start, let time)? = calls[event.thread]?.last else { return }
        calls[event.thread]?.removeLast()
        let process = process(of: event.thread)
        var traced = processes[process] ?? TracedProcess(isNew: false)
        // Statements that started before the window are not timed, because their first steps are
        // missing.
        if start.programCounter < 0 {
            traced.timings[start.statement] =
                window?.contains(time) ?? false
                ? StatementTiming(start: time, thread: event.thread) : nil
        }
        if var timing = traced.timings[start.statement], !timing.isCut {
            let duration = event.time - min(time, event.time)
            timing.nanoseconds &+= duration - min(stepOverhead, duration)
            if timing.steps > 0 { timing.betweenSteps &+= time - min(timing.lastEnd, time) }
            timing.lastEnd = event.time
            timing.steps += 1
            // 100 is SQLITE_ROW.
            if result == 100 { timing.rows += 1 }
            traced.timings[start.statement] = timing
        }
        processes[process] = traced
    }

    /// Discards the timings of the statements that a call to `sqlite3_exec` has run.
    ///
    /// `sqlite3_exec` finalizes its statements without an event, and other statements may then
    /// reuse their addresses.
    mutating func endSteps(ofExecStartedAt start: UInt64, _ thread: Int32) {
        let process = process(of: thread)
        guard let timings = processes[process]?.timings, !timings.isEmpty else { return }
        processes[process]?.timings = timings.filter {
            $0.value.thread != thread || $0.value.start < start
        }
    }

    /// Records that SQLite reset a statement during the current step.
    ///
    /// SQLite automatically resets a completed statement before restarting it.
    mutating func restartStep(of statement: UInt64, _ thread: Int32) {
        guard case .step(var start, let time)? = calls[thread]?.last, start.statement == statement
        else { return }
        start.programCounter = -1
        calls[thread]?.removeLast()
        calls[thread]?.append(.step(start, time: time))
    }

    /// The text and start time of the oldest running statement in each process.
    ///
    /// The text is known only if an earlier execution of the statement has ended.
    var running: [Int32: (text: String, start: UInt64)] {
        var running: [Int32: (text: String, start: UInt64)] = [:]
        for (thread, open) in calls {
            guard let call = open.first, let process = threads[thread] else { continue }
            let found: (text: String?, start: UInt64)
            switch call {
            case .step(let step, let time):
                found = (processes[process]?.statements[step.statement]?.text, time)
            case .exec(let exec, let time): found = (exec.text.map(SecretKeys.redacted), time)
            }
            guard let text = found.text, found.start < running[process]?.start ?? .max else {
                continue
            }
            running[process] = (text, found.start)
        }
        return running
    }

    /// Whether any timed statement is still running.
    var isTiming: Bool {
        processes.values.contains { $0.timings.values.contains { !$0.isCut } }
            || calls.values.contains {
                $0.contains { call in
                    if case .step(let start, let time) = call {
                        start.programCounter < 0 && window?.contains(time) ?? false
                    } else {
                        false
                    }
                }
            }
    }

    /// Stops recording steps.
    ///
    /// The ends of running steps are not recorded.
    mutating func endTiming() {
        for (thread, open) in calls {
            let process = process(of: thread)
            for case .step(let start, let time) in open
            where start.programCounter < 0 && window?.contains(time) ?? false {
                // This step may be the first event of its process.
                processes[process, default: TracedProcess(isNew: false)]
                    .timings[start.statement] = StatementTiming(start: time, thread: thread)
            }
            calls[thread] = open.filter { if case .exec = $0 { true } else { false } }
        }
        for process in processes.keys {
            for statement in processes[process]?.timings.keys ?? [:].keys {
                processes[process]?.timings[statement]?.isCut = true
            }
        }
        window = nil
    }
}
