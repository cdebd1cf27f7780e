#if os(Linux)
import Findings
import Glibc
import SQLiteWatch
import Telemetry
import Text

extension SQLTraceSession {
    /// Adds statements, transactions, and waits to reports on databases.
    public func complete(_ reports: inout [WatchReport]) { completeReports(&reports) }

    /// Reads the names in the schemas, which ensures that all executions of a statement have the
    /// same normalized text.
    func readSchemaNames() {
        guard let planner else { return }
        for (number, path) in files.paths.enumerated() {
            let request = PlanRequest(path: path, statements: [])
            models[number].setPlans(planner.response(to: request), for: [])
        }
    }

    /// Requests plans for new statements, at most once per second.
    private func requestPlans() {
        let now = monotonicNanoseconds()
        guard let planner, now >= nextPlanTime else { return }
        let paths = lock.withLock { _ in files.paths }
        for (number, path) in paths.enumerated() {
            let statements = lock.withLock { _ in models[number].statementsToPlan }
            guard !statements.isEmpty else { continue }
            nextPlanTime = now + 1_000_000_000
            // The response takes time, in which programs may wait for their probes.
            let request = PlanRequest(path: path, statements: statements.map(\.sql))
            let response = planner.response(to: request)
            lock.withLock { _ in models[number].setPlans(response, for: statements) }
        }
    }

    /// Returns the traced data of each database by its path, with rates since the last call.
    package func report() -> [String: TracedDatabase] {
        requestPlans()
        return lock.withLock { _ in currentReport() }
    }

    private func currentReport() -> [String: TracedDatabase] {
        let now = monotonicNanoseconds()
        let elapsed = Double(readTime - min(readTime, reportTime)) / 1e9
        for process in attached.values { noteSampling(of: process, at: now) }
        let periods = attached.mapValues { $0.endPeriod(at: readTime, since: reportTime) }
            .merging(endedPeriods) { $1 }
        endedPeriods = [:]
        reportTime = readTime
        var counts = endedCounts
        for process in attached.values {
            counts.lost += process.counts.lost
            counts.nested += process.counts.nested
        }
        let start = calendarStart
        let names = names
        let context = TraceModel.ReportContext(
            now: now,
            calendar: { time in
                let distance = Int64(bitPattern: time &- start.monotonic) / 1_000_000
                return WatchTime(milliseconds: start.milliseconds + distance)
            },
            name: { names[$0] }
        )
        let running = runningStatements()
        var report: [String: TracedDatabase] = [:]
        for (number, path) in files.paths.enumerated() {
            if counts.lost > 0 { models[number].noteLoss() }
            let (connections, copies) = connectionReport(of: number, running, at: now)
            report[path] = TracedDatabase(
                statements: models[number].statementReport(sampled: sampling) {
                    if let period = periods[$0] { period } else { elapsed }
                },
                transactions: models[number].transactionReport(context),
                blocked: models[number].blockReport(context),
                waits: models[number].waitReport(context),
                current: models[number].currentReport(
                    running: Self.oldest(
                        running.filter {
                            let database = earlyStatements[$0.key]?.database
                            return database.map { $0 == number }
                                ?? (survey.processes[$0.key.process]?.databases == [number])
                        }
                    ),
                    now: now
                ),
                connections: connections,
                copies: copies,
                tracing: tracing(of: number, at: now, counts)
            )
        }
        return report
    }

    /// Stores how a process with windows was traced, which reports need after its end.
    func noteSampling(of process: AttachedProcess, at now: UInt64) {
        guard process.isSampled, sampling.count < 1 << 12 || sampling[process.process] != nil
        else { return }
        sampling[process.process] = process.sampling(at: now)
    }

    typealias RunningStatements = [ConnectionKey: TraceModel.RunningStatement]

    /// Returns the oldest running statement of each process.
    private static func oldest(
        _ running: RunningStatements
    ) -> [Int32: TraceModel.RunningStatement] {
        Dictionary(running.map { ($0.key.process, $0.value) }) { $0.start <= $1.start ? $0 : $1 }
    }

    /// Returns the oldest running statement of each connection.
    private func runningStatements() -> RunningStatements {
        let memory = ProcMemory()
        followEarlyStatements()
        var running = earlyStatements.mapValues { early in
            TraceModel.RunningStatement(text: early.text, start: early.start, isEarly: true)
        }
        for execution in kernel.runningStatements() {
            let process = execution.process
            let key = ConnectionKey(process: process, connection: execution.connection)
            guard attached[process]?.isAttached ?? false,
                execution.start < running[key]?.start ?? .max,
                let text = decoder.text(of: execution.statement, process)
                    ?? text(of: execution, memory)
            else { continue }
            running[key] = TraceModel.RunningStatement(
                text: text,
                start: execution.start,
                isEarly: execution.isEarly
            )
        }
        return running
    }

    /// Returns the text of a statement that has not ended yet, from the process's memory.
    private func text(of execution: ProbeKernel.RunningStatement, _ memory: ProcMemory) -> String? {
        for number in attached[execution.process]?.libraries ?? [] {
            guard let layout = try? libraries.entries[number].state?.get(),
                let address = memory.pointer(
                    ofProcess: execution.process,
                    at: execution.statement &+ UInt64(layout.sql)
                ),
                let text = memory.text(
                    ofProcess: execution.process,
                    at: address,
                    limit: Self.textLimit
                )
            else { continue }
            return SecretKeys.redacted(text)
        }
        return nil
    }

    private func tracing(
        of number: Int,
        at now: UInt64,
        _ counts: ProbeKernel.Counts
    ) -> WatchedTracing {
        var tracing = WatchedTracing(level: "full")
        tracing.seconds = Double(now - start) / 1e9
        tracing.libraries = libraries.entries.filter(\.hasProbes).map(\.library.path).sorted()
        let users = survey.processes.filter { $0.value.databases.contains(number) }.keys.sorted()
        tracing.pids = users.filter { attached[$0] != nil }
        tracing.processesSlowed = attached.values.count(where: \.isAttached)
        tracing.lost = counts.lost
        tracing.nestedExecutions = counts.nested
        tracing.events = recordCount
        tracing.unknownTexts = decoder.unknownTexts
        tracing.otherExecutions = decoder.otherExecutions
        tracing.notVisible = users.compactMap { process in
            problems[process].map {
                WatchedTracing.Hidden(pid: process, name: names[process], reason: $0)
            }
        }
        tracing.secondsPerEvent = cost.map { $0.step / 2e9 }
        let sampled = users.compactMap { attached[$0] }.filter(\.isSampled)
        tracing.sampled = sampled.map { process in
            WatchedTracing.Sampled(
                pid: process.process,
                name: names[process.process],
                attachedSeconds: Double(process.attachedTime(at: now)) / 1e9,
                seconds: Double(now - min(now, process.start)) / 1e9,
                share: process.limiter.lost.share
            )
        }
        tracing.share =
            attached.values.map { process in
                let all = max(1, now - min(now, process.start))
                return process.limiter.lost.slowdown * Double(process.attachedTime(at: now))
                    / Double(all)
            }.max() ?? 0
        tracing.notes =
            notes
            + (tracing.sampled ?? []).map { process in
                note(process, slowdown: attached[process.pid]?.limiter.lost.slowdown ?? 0)
            }
        if missedPrograms > 0 {
            tracing.notes.append(
                HumanUnits.counted(missedPrograms, "program", "programs")
                    + " opened the database and ended before the probes were set"
            )
        }
        if latePrograms > 0 {
            tracing.notes.append(
                HumanUnits.counted(latePrograms, "program", "programs")
                    + " got probes after the first statements, which are not counted"
            )
        }
        if let note = decoder.unknownFilesNote { tracing.notes.append(note) }
        return tracing
    }

    private func note(_ process: WatchedTracing.Sampled, slowdown: Double) -> String {
        let percent = HumanUnits.percent
        return WatchStatementText.process(process.name, pid: process.pid)
            + " would be slower by \(percent(slowdown)) with probes (limit: "
            + "\(percent(options.shareLimit))), so it has probes only in windows: for "
            + "\(HumanUnits.duration(seconds: process.attachedSeconds)) of "
            + "\(HumanUnits.duration(seconds: process.seconds)); its counts cover only these "
            + "windows, and its rates are estimates (≈); a program that is started after -- is "
            + "counted completely"
    }

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
                let lost = lostTimes(known, earlier: target.traps)
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
        earlier: [Int32: ProbeKernel.Traps]
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
