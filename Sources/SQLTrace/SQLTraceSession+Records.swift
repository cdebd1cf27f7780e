#if os(Linux)
import Glibc
import SQLiteWatch
import Telemetry

extension SQLTraceSession {
    /// Reads the records since the last call.
    ///
    /// - Returns: The executions on watched databases, in the order of their ends.
    @discardableResult
    public func poll() -> [StatementExecution] {
        lock.withLock { _ in proceed() }
    }

    private func proceed() -> [StatementExecution] {
        // A process that has ended has sent its last record.
        let ended = endedProcesses()
        readRecords()
        let now = monotonicNanoseconds()
        for process in ended { end(process, at: now) }
        followEarlyStatements()
        noteLosses(at: now)
        limitCosts(at: now)
        surveyProcesses()
        measureCost()
        defer { pending = [] }
        return pending
    }

    /// The number of bytes to read before other work, such as the survey of processes.
    private static let readLimit = 1 << 25

    /// Reads records, and adds their executions to those of the next poll.
    func readRecords() {
        readTime = monotonicNanoseconds()
        _ = kernel.ring.read(limit: Self.readLimit) { bytes in
            if let record = ProbeRecord(bytes) { handle(record) }
        }
    }

    func handle(_ record: ProbeRecord) {
        recordCount &+= 1
        switch record.kind {
        case .fork: survey.listProcesses()
        case .program:
            // The probes may have been set after the process executed the program.
            if record.time > attached[record.process]?.start ?? 0 {
                end(record.process, at: record.time)
                survey.scheduleSurvey(of: record.process, at: record.time)
            }
        default: break
        }
        guard let output = decoder.decode(record) else { return }
        switch output {
        case .execution(let execution, let database, let library):
            // Rates are computed from the time in which all probes were set.
            guard let target = attached[execution.process], target.includes(execution.end)
            else { return }
            target.lastUse = execution.end
            if isNested(execution) {
                endedCounts.nested += 1
                return
            }
            let kind = models[database].add(execution)
            connections.add(execution, kind, database: database, library: library)
            pending.append(execution)
        case .closed(let process, let connection, let time):
            let key = ConnectionKey(process: process, connection: connection)
            connections.end(key)
            for database in models.indices { models[database].end(key, at: time) }
        }
    }

    private func endedProcesses() -> [Int32] {
        let processes = attached.values.filter { $0.descriptor >= 0 }
        guard !processes.isEmpty else { return [] }
        var polls = processes.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard Glibc.poll(&polls, nfds_t(polls.count), 0) > 0 else { return [] }
        return zip(processes, polls).filter { $0.1.revents != 0 }.map { $0.0.process }
    }

    /// Notes the records that did not fit into the buffer.
    private func noteLosses(at now: UInt64) {
        for (process, target) in attached {
            let counts = kernel.counts(of: process)
            defer { target.counts = counts }
            guard counts.lost > target.counts.lost else { continue }
            noteGap(of: process)
        }
    }

    /// Notes that records of a process are missing.
    private func noteGap(of process: Int32) {
        connections.noteGap(of: process)
        for number in models.indices { models[number].noteGap(of: process) }
    }

    // MARK: Cost

    /// Removes and sets the probes of processes that lose more than the limit of their time.
    private func limitCosts(at now: UInt64) {
        guard now >= nextLimitTime else { return }
        nextLimitTime = now + CostLimiter.interval / 4
        followThreads()
        let traps = Dictionary(grouping: kernel.traps()) { $0.value.process }
        for (process, target) in attached {
            if target.limiter.isPaused, !target.canAttach {
                // The removal of probes takes time, in which the process reaches them.
                target.removalDelay = now - min(now, gapStarts[process] ?? now)
                continue
            }
            if target.removalDelay > 0 {
                target.limiter.extendPause(by: target.removalDelay)
                target.removalDelay = 0
            }
            let current = (traps[process] ?? []).map { ($0.key, $0.value) }
            let known = Dictionary(uniqueKeysWithValues: current)
            let decision = target.limiter.decision(at: now) { elapsed in
                defer { target.traps = known }
                guard elapsed > 0 else {
                    target.lostShares.restart()
                    return LostShares.Loss()
                }
                let lost = lostTimes(known, target.traps)
                target.addLost(lost)
                return target.lostShares.largest(
                    of: lost,
                    in: elapsed,
                    limit: options.shareLimit
                )
            }
            switch decision {
            case true?:
                target.detach(at: now, forget: kernel.forget)
                gapStarts[process] = now
                noteGap(of: process)
            case false?:
                guard let facts = survey.processes[process] else { continue }
                attach(to: process, facts)
            case nil: break
            }
        }
    }

    /// By which factor probes cost more in a program than in the loop that measures them, because
    /// the program uses the caches otherwise (`Benchmarks/Watch/sql-cost.py`).
    static let costInPrograms = 1.3

    /// Returns the time that each thread lost since the last decision, in nanoseconds.
    private func lostTimes(
        _ traps: [Int32: ProbeKernel.Traps],
        _ earlier: [Int32: ProbeKernel.Traps]
    ) -> [Int32: Double] {
        guard let cost else { return [:] }
        var lost: [Int32: Double] = [:]
        for (thread, traps) in traps {
            let before = earlier[thread]
            // The counts restart when a thread gets probes again.
            let entries = traps.entries - min(traps.entries, before?.entries ?? 0)
            let returns = traps.returns - min(traps.returns, before?.returns ?? 0)
            let ends = traps.ends - min(traps.ends, before?.ends ?? 0)
            let measured =
                Double(returns) * cost.step + Double(entries - min(entries, returns)) * cost.reset
                + Double(ends) * cost.end
            lost[thread] = measured * Self.costInPrograms
        }
        return lost
    }
}
#endif
