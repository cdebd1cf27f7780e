import Telemetry
import Text

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

    static func value(_ value: Double, of threshold: ThresholdResult) -> String {
        let aggregate = threshold.expression.prefix { !"<>=".contains($0) }
            .filter { !$0.isWhitespace }
        return MetricCatalog.unit(of: threshold.metric, aggregate)?.text(value)
            ?? ReportUnits.unitless(value)
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
