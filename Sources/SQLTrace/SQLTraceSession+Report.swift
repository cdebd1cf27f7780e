#if os(Linux)
import Findings
import Glibc
import SQLiteWatch
import Telemetry
import Text

extension SQLTraceSession {
    /// Adds statements, transactions, and waits to reports on databases.
    public func complete(_ reports: inout [WatchReport]) {
        let traced = report()
        for index in reports.indices {
            guard let database = traced[reports[index].file.path] else { continue }
            reports[index].statements = database.statements
            reports[index].transactions = database.transactions
            reports[index].current = database.current
            reports[index].blocked = database.blocked.map { inferred($0, reports[index]) }
            reports[index].waits = database.waits.map { group in
                var group = group
                group.longest = inferred(group.longest, reports[index])
                return group
            }
            reports[index].tracing = database.tracing
            reports[index].useProcessNames()
            reports[index].reconcileLocks()
            reports[index].updateFindings()
        }
    }

    /// Identifies the holder of the write lock as the blocker if no traced transaction explains the
    /// wait.
    private func inferred(_ block: WatchedBlock, _ report: WatchReport) -> WatchedBlock {
        guard block.by == nil, block.isUpgrade != true else { return block }
        let end = block.time.milliseconds
        let start = end - Int64(block.seconds * 1_000)
        let holders = report.episodes.filter { episode in
            let duration = Int64(episode.seconds * 1_000)
            return (episode.kind == .writer || episode.kind == .exclusive)
                && episode.start.milliseconds <= end
                && episode.start.milliseconds + duration >= start
        }
        guard let holder = holders.first(where: { $0.pid != block.pid }) ?? holders.first else {
            return block
        }
        var block = block
        var blocker = WatchedBlock.Blocker(pid: holder.pid, isInferred: true)
        blocker.name = holder.name
        block.by = blocker
        return block
    }

    struct TracedDatabase {
        var statements: [WatchedStatement]
        var transactions: [WatchedTransaction]
        var blocked: [WatchedBlock]
        var waits: [WatchedWaits]
        var current: [WatchedCurrentStatement]
        var tracing: WatchedTracing
    }

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
        for (number, path) in files.paths.enumerated() {
            let statements = models[number].statementsToPlan
            guard !statements.isEmpty else { continue }
            nextPlanTime = now + 1_000_000_000
            let request = PlanRequest(path: path, statements: statements.map(\.sql))
            models[number].setPlans(planner.response(to: request), for: statements)
        }
    }

    /// Returns the traced data of each database by its path, with rates since the last call.
    func report() -> [String: TracedDatabase] {
        requestPlans()
        let now = monotonicNanoseconds()
        let elapsed = ratePeriod.end(at: now, gapStart: gapStart)
        let lost = probes.instance.lostCount + (selectedEvents?.lostCount ?? 0)
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
        let running = decoder.running
        var report: [String: TracedDatabase] = [:]
        for (number, path) in files.paths.enumerated() {
            if lost > 0 { models[number].noteLoss() }
            report[path] = TracedDatabase(
                statements: models[number].statementReport(elapsed: elapsed),
                transactions: models[number].transactionReport(context),
                blocked: models[number].blockReport(context),
                waits: models[number].waitReport(context),
                current: models[number].currentReport(
                    running: running.filter { process, _ in
                        survey.processes[process]?.databases == [number]
                    },
                    now: now
                ),
                tracing: tracing(of: number, at: now, lost: lost)
            )
        }
        return report
    }

    private func tracing(of number: Int, at now: UInt64, lost: UInt64) -> WatchedTracing {
        var tracing = WatchedTracing(level: options.level.rawValue)
        tracing.seconds = Double(now - start) / 1e9
        let probed = probes.libraries.entries.filter { !$0.definedEvents.isEmpty }
        tracing.libraries = probed.map(\.library.path).sorted()
        let users = survey.processes.filter { $0.value.databases.contains(number) }
            .keys.sorted()
        tracing.pids = users.filter { problems[$0] == nil }
        tracing.processesSlowed =
            options.level == .full
            ? options.processes.count
            : survey.processes.filter { process, facts in
                facts.code.contains { mapping in
                    probes.libraries.known(mapping, of: process).map { !$0.definedEvents.isEmpty }
                        ?? false
                }
            }.count
        tracing.lost = lost
        tracing.events = eventCount
        tracing.unknownTexts = decoder.unknownTexts
        tracing.otherExecutions = decoder.otherExecutions
        tracing.notVisible = users.compactMap { process in
            problems[process].map {
                WatchedTracing.Hidden(pid: process, name: names[process], reason: $0)
            }
        }
        tracing.secondsPerEvent = probes.cost.map { $0.reset / 1e9 }
        tracing.share = limiter.share * limiter.tracedShare + stepShare
        tracing.notes = notes
        let uncounted = decoder.unknownFiles
        if uncounted > 0 {
            tracing.notes.append(
                uncounted == 1
                    ? "1 execution is not counted because its process ended before its files could "
                        + "be compared with the watched files"
                    : "\(uncounted) executions are not counted because their processes ended before "
                        + "their files could be compared with the watched files"
            )
        }
        if limiter.tracedShare < 1 {
            tracing.notes.append(pauseNote)
        }
        return tracing
    }

    private var pauseNote: String {
        let percent = HumanUnits.percent
        var program = "a program lost too much time"
        if let (process, share) = costliestProcess {
            program = process.map { WatchStatementText.process(names[$0], $0) } ?? "a program"
            program += " lost \(percent(share)) of its time"
        }
        return "\(program) to probes (limit: \(percent(options.shareLimit))), so tracing was paused"
            + " and was active for only \(percent(limiter.tracedShare)) of the time; counts and "
            + "rates cover only that time"
    }
}
#endif
