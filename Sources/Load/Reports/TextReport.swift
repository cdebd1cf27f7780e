import Findings
import Scenarios
import Telemetry
import Text
import WorkloadEngine

/// A type that formats a result as text with a verdict, followed by tables with units.
public enum TextReport {
    /// Returns the report, ending with a line feed.
    public static func text(of result: RunResult) -> String {
        var lines: [String] = []
        lines += (result.failures ?? []).map { "FAILED  \(result.scenario): \($0)" }
        for run in result.runs {
            lines.append(verdict(of: run, scenario: result.scenario))
        }
        for run in result.runs {
            lines.append("")
            lines += section(run, measuredPhases: measuredPhases(of: result))
        }
        lines.append("")
        lines += environment(result)
        return ReportLines.text(lines)
    }

    private static func measuredPhases(of result: RunResult) -> Int {
        Set(result.runs.flatMap(\.intervals).filter(\.measured).map(\.phase)).count
    }

    static func verdictWord(of run: ArmResult) -> String {
        switch run.exitStatus {
        case .passed: "PASSED"
        case .failed: "FAILED"
        case .thresholdMissed:
            run.aborted == nil ? "THRESHOLD MISSED" : "ABORTED, THRESHOLD MISSED"
        case .invariantViolated: "INVARIANT VIOLATED"
        case .undecided: "UNDECIDED"
        case .unfaithful: "NOT FAITHFUL"
        case .invalid: "INVALID"
        case .interrupted: "INTERRUPTED, PARTIAL"
        case .regression: "REGRESSION"
        }
    }

    /// Returns a run's verdict in one line.
    public static func verdict(of run: ArmResult, scenario: String) -> String {
        let completed = run.clients.values.reduce(0) { $0 + $1.completed }
        var line =
            "\(verdictWord(of: run))  \(scenario) on \(run.arm): "
            + "\(HumanUnits.exact(completed)) \(completed == 1 ? "access" : "accesses") in "
            + ReportUnits.seconds(run.duration)
        let reasons =
            (run.aborted.map { [$0.sentence] } ?? []) + (run.failures ?? [])
            + (run.invalidReason.map { [$0] } ?? [])
        if !reasons.isEmpty { line += " (\(reasons.joined(separator: "; ")))" }
        return line
    }

    private static func section(_ run: ArmResult, measuredPhases: Int) -> [String] {
        var lines = ["\(run.arm)" + pragmas(run)]
        for (client, reason) in (run.unsupported ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("  unsupported: \(client) did not run: \(reason)")
        }
        lines += counts(run)
        let parts = [
            latencies(run) + fairness(run), operations(run), phases(run, measured: measuredPhases),
            findings(run), blame(run), busy(run),
            facts(run), profiles(run), checks(run),
        ]
        for part in parts where !part.isEmpty { lines += [""] + part }
        return lines
    }

    private static func pragmas(_ run: ArmResult) -> String {
        var known = run.journalSettings.map { [$0] } ?? []
        // Only libraries without probes report this property.
        if let probes = run.environment["probes"] {
            known.append("\(run.environment["library"] ?? "library"), probes \(probes)")
        }
        return known.isEmpty ? "" : " (\(known.joined(separator: ", ")))"
    }

    private static func counts(_ run: ArmResult) -> [String] {
        var table = TextTable(["client"] + ClientMetrics.columnTitles)
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            table.add([name] + ClientMetrics.cells(client))
        }
        var lines = table.lines(indent: "  ")
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            lines += client.errorLines.map { "  \(name): \($0)" }
        }
        for (what, count) in (run.refusals ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("  rejected by the guard: \(HumanUnits.exact(count)) × \(what)")
        }
        return lines
    }

    private static func latencies(_ run: ArmResult) -> [String] {
        let columns = LatencyColumns(
            for: run.clients.values.flatMap { ClientMetrics.summaries($0).map(\.summary) }
        )
        var table = TextTable(["latency"] + columns.titles)
        var hasClosedLoop = false
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            let isClosed = client.showsClosedLoop
            hasClosedLoop = hasClosedLoop || isClosed
            for (title, summary) in ClientMetrics.summaries(client) {
                table.add(
                    ["\(name) \(title)" + (isClosed ? " *" : "")] + columns.cells(summary)
                )
            }
        }
        var lines = table.lines(indent: "  ")
        if hasClosedLoop {
            lines.append(
                "  * closed loop: a worker runs one access at a time, so a stall delays "
                    + "only one access"
            )
        }
        return lines
    }

    private static func facts(_ run: ArmResult) -> [String] {
        var lines = run.driver?.lines.map { "  \($0)" } ?? []
        if let pool = run.pool {
            var parts: [String] = []
            if let maximum = pool.maximumReaderCount {
                let readers = HumanUnits.counted(maximum, "reader")
                parts.append("peak \(pool.readersPeak ?? 0) of \(readers)")
            }
            if let share = pool.utilization {
                parts.append("utilization \(ReportUnits.percent(share))")
            }
            if let share = pool.saturation {
                parts.append("saturated \(ReportUnits.percent(share)) of the time")
            }
            let scope = pool.peaksAreSampled == true ? " in a sample" : ""
            parts.append(
                "peak waiters\(scope): "
                    + HumanUnits.counted(pool.waitingReadersPeak, "read") + ", "
                    + HumanUnits.counted(pool.waitingWritersPeak, "write")
            )
            lines.append("  connections: " + parts.joined(separator: ", "))
        }
        lines += waits(run)
        lines += log(run)
        if let snapshots = run.snapshots, snapshots.made > 0 {
            let oldest = snapshots.oldestSeconds.map { ", oldest \(ReportUnits.seconds($0))" }
            lines.append("  snapshots: \(snapshots.made) taken\(oldest ?? "")")
        }
        if let interrupts = run.interrupts, interrupts.requested > 0 {
            lines.append(
                "  interrupts: \(HumanUnits.counted(interrupts.requested, "call")), "
                    + "\(interrupts.withoutEffect) without effect; "
                    + "\(HumanUnits.counted(interrupts.delivered, "statement")) ended"
                    + (interrupts.latency.map { latency in
                        "; latency p50 \(ReportUnits.time(latency.p50)), max "
                            + ReportUnits.time(latency.max)
                    } ?? "")
            )
        }
        lines.append("  generator: " + generator(run.generator))
        return lines
    }

    private static func waits(_ run: ArmResult) -> [String] {
        guard let pool = run.pool else { return [] }
        let kind = pool.maximumReaderCount == nil ? "connection" : "readers"
        let sides = [
            (kind, pool.acquire, pool.acquiredAtOnce, pool.hold),
            ("writer", pool.writerAcquire, pool.writerAcquiredAtOnce, pool.writerHold),
        ]
        return sides.compactMap { name, acquire, atOnce, hold in
            guard let acquire else { return nil }
            var line = "  \(name): "
            if let atOnce { line += "\(ReportUnits.percent(atOnce)) of accesses did not wait; " }
            line += "wait " + summary(acquire, zero: "none")
            if let hold { line += "; held " + summary(hold, zero: "0 ns") }
            return line
        }
    }

    private static func summary(_ summary: LatencySummary, zero: String) -> String {
        func text(_ time: UInt64?) -> String { time == 0 ? zero : ReportUnits.time(time) }
        return "p50 \(text(summary.p50)), p99 \(text(summary.p99)), max \(text(summary.max))"
    }

    private static func generator(_ generator: GeneratorResult) -> String {
        var parts: [String] = []
        if let noop = generator.noop { parts.append("\(noop) ns per access") }
        if let share = generator.cpuShare {
            parts.append("\(ReportUnits.percent(share)) of the processors")
        }
        if let lag = generator.lagP99 {
            parts.append("idle workers started within \(ReportUnits.time(lag)) (p99)")
        }
        if let steal = generator.stealShare, steal >= 0.001 {
            parts.append("\(ReportUnits.percent(steal)) of the processor time stolen")
        }
        return parts.joined(separator: ", ")
    }

    static func environment(_ result: RunResult) -> [String] {
        environment(result.environment, seed: result.seed)
    }

    static func environment(_ host: HostEnvironment, seed: UInt64) -> [String] {
        var parts = [host.operatingSystem, host.architecture, "\(host.cpuCount) processors"]
        parts += host.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        if let fileSystem = host.fileSystem {
            let sync = host.syncNanoseconds.map { ", a sync takes \(ReportUnits.time($0))" } ?? ""
            parts.append(fileSystem + sync)
        }
        parts.append("seed \(seed)")
        return [parts.joined(separator: " · ")] + (host.warnings ?? []).map { "warning: \($0)" }
    }
}

extension TextReport {
    static func operations(_ run: ArmResult) -> [String] {
        let rows = run.clients.sorted { $0.key < $1.key }.flatMap { name, client in
            let operations = client.operations ?? [:]
            guard operations.count > 1 else { return [(title: String, result: ClientResult)]() }
            return operations.sorted { $0.key < $1.key }.map { ("\(name) \($0.key)", $0.value) }
        }
        return rows.isEmpty ? [] : table("operation", rows: rows)
    }

    static func phases(_ run: ArmResult, measured: Int) -> [String] {
        guard measured > 1 else { return [] }
        return table(
            "phase",
            rows: run.clients.sorted { $0.key < $1.key }.flatMap { name, client in
                (client.phases ?? [:]).sorted { $0.key < $1.key }
                    .map { ("\(name) in \($0.key)", $0.value) }
            }
        )
    }

    private static func table(
        _ kind: String,
        rows: [(title: String, result: ClientResult)]
    ) -> [String] {
        let columns = LatencyColumns(LatencyColumns.brief, for: rows.map(\.result.response))
        var table = TextTable([kind, "completed", "rate"] + columns.titles + ["service p99"])
        for (title, result) in rows {
            table.add(
                [
                    title, HumanUnits.exact(result.completed),
                    result.throughput.map(ReportUnits.rate) ?? "–",
                ] + columns.cells(result.response) + [ReportUnits.time(result.service?.p99)]
            )
        }
        return table.lines(indent: "  ")
    }

    static func profiles(_ run: ArmResult) -> [String] {
        var table = TextTable([
            "SQLite, one execution", "rows", "VM steps", "scan steps", "sorts", "auto-indexed",
            "cache hits", "misses", "spills",
        ])
        var plans: [String] = []
        var isEmpty = true
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            for (operation, result) in (client.operations ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let profile = result.profile else { continue }
                let title = operation == name ? name : "\(name) \(operation)"
                if let counters = profile.counters {
                    isEmpty = false
                    table.add(
                        [title]
                            + [
                                counters.rows, counters.vmSteps, counters.fullScanSteps,
                                counters.sorts, counters.automaticIndexes, counters.cacheHits,
                                counters.cacheMisses, counters.cacheSpills,
                            ].map { HumanUnits.exact(UInt64(max(0, $0))) }
                    )
                }
                let notable = profile.plans.flatMap(\.lines).filter(isNotable)
                for line in Set(notable).sorted() {
                    plans.append("  \(title): \(line.drop { $0 == " " })")
                }
            }
        }
        return (isEmpty ? [] : table.lines(indent: "  ")) + plans
    }

    /// Returns whether a line of a query plan shows work that an index could avoid.
    private static func isNotable(_ line: String) -> Bool {
        line.contains("SCAN") && !line.contains("CONSTANT ROW") || line.contains("TEMP B-TREE")
            || line.contains("AUTOMATIC")
    }

    /// The maximum number of groups in a text report.
    private static let busyLimit = 10
    static let statementLength = 100

    static func busy(_ run: ArmResult) -> [String] {
        guard let busy = run.busy else { return [] }
        let shown = busy.groups.prefix(busyLimit)
        var table = TextTable([
            "cause", "client", "times", "retried", "waited", "longest", "held by",
        ])
        for group in shown { table.add(cells(group)) }
        let rows = table.lines(indent: "    ")
        var lines = ["  SQLITE_BUSY by cause"] + rows.prefix(1)
        for (row, group) in zip(rows.dropFirst(), shown) {
            lines.append(row)
            let details = [group.code, group.statement.map(oneLine)].compactMap(\.self)
            if !details.isEmpty { lines.append("      \(details.joined(separator: " in "))") }
        }
        if let rest = rest(busy) { lines.append("    \(rest)") }
        return lines
    }

    static func cells(_ group: BusyResult.Group) -> [String] {
        [
            group.cause.title, group.client, HumanUnits.exact(group.count),
            HumanUnits.exact(group.retried), ReportUnits.time(group.waited),
            ReportUnits.time(group.longestWait), holders(group),
        ]
    }

    static func rest(_ busy: BusyResult) -> String? {
        let hidden = busy.groups.dropFirst(busyLimit).reduce(0) { $0 + $1.count } + busy.others
        return hidden > 0 ? "and \(HumanUnits.exact(hidden)) more" : nil
    }

    /// Returns the most frequent holders and their shares, such as `import 80%, unknown 20%`.
    private static func holders(_ group: BusyResult.Group) -> String {
        let sorted = group.holders.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        if sorted.count == 1, let only = sorted.first { return only.key }
        return sorted.prefix(3).map { name, count in
            "\(name) \(ReportUnits.percent(Double(count) / Double(max(1, group.count))))"
        }.joined(separator: ", ")
    }

    static func oneLine(_ sql: String) -> String { oneLine(sql, limit: statementLength) }

    static func oneLine(_ sql: String, limit: Int) -> String {
        let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count <= limit ? line : line.prefix(limit) + "…"
    }

    static func checks(_ run: ArmResult) -> [String] {
        var lines = run.thresholds.map { threshold in
            let observed =
                threshold.observed.map { threshold.text(of: $0) }
                ?? reasonForMissingValue(of: threshold, in: run)
            return "  threshold \(threshold.metric) \(threshold.expression): "
                + "\(mark(threshold)) (\(observed))"
        }
        lines += run.invariants.map { invariant in
            "  invariant \(invariant.name): \(mark(invariant.passed)) (\(invariant.detail))"
        }
        return lines
    }

    private static func mark(_ threshold: ThresholdResult) -> String {
        threshold.undecided == true ? "UNDECIDED" : mark(threshold.passed)
    }

    private static func mark(_ passed: Bool?) -> String {
        switch passed {
        case true?: "passed"
        case false?: "FAILED"
        case nil: "not checked"
        }
    }

    private static func reasonForMissingValue(
        of threshold: ThresholdResult,
        in run: ArmResult
    ) -> String {
        let count = run.sampleCount(of: threshold.metric) ?? 0
        guard count > 0 else { return "no samples" }
        let samples = "too few samples: \(HumanUnits.exact(UInt64(count)))"
        switch threshold.passed {
        case true?: return samples + ", and the maximum is within the limit"
        case false?: return samples + ", and a lower percentile is beyond the limit"
        case nil: break
        }
        guard let seconds = threshold.decidingSeconds else { return samples }
        return samples + "; to collect enough samples, use --duration \(Int(seconds))s"
    }

    static func log(_ run: ArmResult) -> [String] {
        guard let wal = run.wal else { return [] }
        let head =
            "  WAL: peak \(ReportUnits.bytes(wal.peakBytes)), "
            + "\(ReportUnits.bytes(wal.finalBytes)) at the end"
        var lines = [head]
        for pin in wal.pins.prefix(5) { lines.append("    " + sentence(pin)) }
        if wal.pins.count > 5 { lines.append("    and \(wal.pins.count - 5) more") }
        return lines
    }

    static func sentence(_ pin: WALResult.Pin) -> String {
        let time = ReportUnits.seconds(pin.seconds)
        let growth =
            pin.bytes > 0
            ? ": the log grew by \(ReportUnits.bytes(pin.bytes))" : ", but the log did not grow"
        switch pin.cause {
        case "oldReader":
            return
                "\(pin.by) kept reading an old state for \(time), so checkpoints could not "
                + "complete\(growth)"
        case "overlappingReaders":
            return "readers, including \(pin.by), overlapped without a gap for \(time), so the log "
                + "was never reset\(growth)"
        case "largeTransaction":
            return "\(pin.by) filled the log with one large transaction for \(time)"
                + growth
        case "noCheckpoint":
            return "no checkpoint copied the writes of \(pin.by) for \(time)\(growth)"
        case "otherProcess":
            return "\(pin.by) blocked checkpoints for \(time)\(growth)"
        default:
            return "\(pin.by) kept the log from shrinking for \(time) (\(pin.cause))\(growth)"
        }
    }

    static func fairness(_ run: ArmResult) -> [String] {
        run.clients.sorted { $0.key < $1.key }.compactMap { name, client in
            guard let fairness = client.fairness else { return nil }
            var parts: [String] = []
            if let smallest = fairness.smallestShare, let largest = fairness.largestShare {
                parts.append(
                    "smallest share \(ReportUnits.fraction(smallest)) of an equal share, "
                        + "largest \(ReportUnits.fraction(largest))"
                )
            }
            if let wait = fairness.longestWait {
                let worker = fairness.longestWaitWorker.map { " (worker \($0))" } ?? ""
                parts.append("longest wait \(ReportUnits.time(wait))\(worker)")
            }
            guard !parts.isEmpty else { return nil }
            return "  fairness of \(name): " + parts.joined(separator: ", ")
        }
    }
}

extension TextReport {
    static func blame(_ run: ArmResult) -> [String] {
        guard let blame = run.blame, !blame.isEmpty else { return [] }
        var lines = ["  what the slow accesses waited for"]
        for (client, result) in blame.sorted(by: { $0.key < $1.key }) {
            lines += result.sentences(of: client).map { "    " + $0 }
        }
        return lines
    }

    /// The findings of a run, each with its remedy.
    static func findings(_ run: ArmResult) -> [String] {
        guard let findings = run.findings, !findings.isEmpty else { return [] }
        return ["  findings"] + Self.findings(findings)
    }

    static func findings(_ findings: [Finding]) -> [String] {
        findings.flatMap { finding in
            Paragraph.lines("\(finding.level.mark) \(finding.text)", first: "    ", rest: "      ")
                + (finding.remedy.map { Paragraph.lines($0, first: "      → ", rest: "        ") }
                    ?? [])
        }
    }
}
