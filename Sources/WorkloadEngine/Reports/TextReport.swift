import Telemetry

/// Writes a result for people: the verdict first, then tables with units.
public enum TextReport {
    /// The whole report, with a newline at its end.
    public static func text(of result: RunResult) -> String {
        var lines: [String] = []
        for run in result.runs {
            lines.append(verdict(of: run, scenario: result.scenario))
        }
        for run in result.runs {
            lines.append("")
            lines += section(run)
        }
        lines.append("")
        lines += environment(result)
        return lines.joined(separator: "\n") + "\n"
    }

    /// One line that says how a run went.
    public static func verdict(of run: ArmResult, scenario: String) -> String {
        let word =
            switch run.exitStatus {
            case .passed: "PASSED"
            case .failed: "FAILED"
            case .thresholdMissed: "THRESHOLD MISSED"
            case .invariantViolated: "INVARIANT VIOLATED"
            case .invalid: "INVALID"
            case .interrupted: "INTERRUPTED, PARTIAL"
            }
        let completed = run.clients.values.reduce(0) { $0 + $1.completed }
        var line =
            "\(word)  \(scenario) on \(run.arm): \(HumanUnits.count(completed)) accesses in "
            + HumanUnits.seconds(run.duration)
        if let reason = run.invalidReason { line += " (\(reason))" }
        return line
    }

    private static func section(_ run: ArmResult) -> [String] {
        var lines = ["\(run.arm)" + pragmas(run)]
        for (client, reason) in (run.unsupported ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("  unsupported: \(client) did not run, \(reason)")
        }
        lines += counts(run)
        lines.append("")
        lines += latencies(run)
        let facts = facts(run)
        if !facts.isEmpty { lines += [""] + facts }
        let checks = checks(run)
        if !checks.isEmpty { lines += [""] + checks }
        return lines
    }

    private static func pragmas(_ run: ArmResult) -> String {
        let known = ["journal_mode", "synchronous"].compactMap { name in
            run.environment[name].map { "\(name) \($0)" }
        }
        return known.isEmpty ? "" : " (\(known.joined(separator: ", ")))"
    }

    private static func counts(_ run: ArmResult) -> [String] {
        var table = TextTable([
            "client", "offered", "completed", "rate", "skipped", "late", "retried", "interrupted",
            "errors", "unfinished",
        ])
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            table.add(
                [
                    name, HumanUnits.count(client.offered), HumanUnits.count(client.completed),
                    client.throughput.map(HumanUnits.rate) ?? "–",
                ]
                    + [
                        client.skipped, client.late, client.retried, client.interrupted,
                        client.errorCount, client.unfinished,
                    ].map(HumanUnits.count)
            )
        }
        var lines = table.lines(indent: "  ")
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            for (code, count) in client.errors.sorted(by: { $0.key < $1.key }) {
                lines.append("  \(name): \(HumanUnits.count(count)) × \(code)")
            }
        }
        return lines
    }

    private static func latencies(_ run: ArmResult) -> [String] {
        var table = TextTable(["latency", "p50", "p90", "p95", "p99", "p99.9", "max", "mean"])
        for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
            let rows = [
                ("response", client.response), ("wait", client.wait), ("service", client.service),
                ("lag", client.lag),
            ]
            for case (let title, let summary?) in rows {
                table.add(
                    ["\(name) \(title)"]
                        + [
                            summary.p50, summary.p90, summary.p95, summary.p99, summary.p999,
                            summary.max, summary.mean,
                        ].map { HumanUnits.time($0) }
                )
            }
        }
        return table.lines(indent: "  ")
    }

    private static func facts(_ run: ArmResult) -> [String] {
        var lines: [String] = []
        if let pool = run.pool {
            var parts: [String] = []
            if let maximum = pool.maximumReaderCount {
                parts.append("peak \(pool.readersPeak ?? 0) of \(maximum) readers")
            }
            if let share = pool.utilization {
                parts.append("utilization \(HumanUnits.percent(share))")
            }
            if let share = pool.saturation {
                parts.append("saturated \(HumanUnits.percent(share)) of the time")
            }
            parts.append("most waiting: \(pool.waitingReadersPeak) to read")
            lines.append(
                "  connections: \(parts.joined(separator: ", ")), \(pool.waitingWritersPeak) to write"
            )
        }
        if let wal = run.wal {
            lines.append(
                "  WAL: peak \(HumanUnits.bytes(wal.peakBytes)), "
                    + "\(HumanUnits.bytes(wal.finalBytes)) at the end"
            )
            for pin in wal.pins.prefix(5) {
                lines.append(
                    "    \(pin.by) kept it from shrinking for \(HumanUnits.seconds(pin.seconds)) "
                        + "(\(pin.cause)); it grew by \(HumanUnits.bytes(pin.bytes))"
                )
            }
        }
        if let snapshots = run.snapshots, snapshots.made > 0 {
            let oldest = snapshots.oldestSeconds.map { ", oldest \(HumanUnits.seconds($0))" }
            lines.append("  snapshots: \(snapshots.made) made\(oldest ?? "")")
        }
        if let interrupts = run.interrupts, interrupts.requested > 0 {
            lines.append(
                "  interrupts: \(interrupts.requested) requested, \(interrupts.delivered) "
                    + "delivered, \(interrupts.withoutEffect) without effect"
            )
        }
        lines.append("  generator: " + generator(run.generator))
        return lines
    }

    private static func generator(_ generator: GeneratorResult) -> String {
        var parts: [String] = []
        if let noop = generator.noop { parts.append("\(noop) ns for each access") }
        if let share = generator.cpuShare {
            parts.append("\(HumanUnits.percent(share)) of the processors")
        }
        if let lag = generator.lagP99 {
            parts.append("free workers started within \(HumanUnits.time(lag)) (p99)")
        }
        if let steal = generator.stealShare, steal >= 0.001 {
            parts.append("\(HumanUnits.percent(steal)) of the machine stolen")
        }
        return parts.joined(separator: ", ")
    }

    private static func checks(_ run: ArmResult) -> [String] {
        func mark(_ passed: Bool?) -> String {
            switch passed {
            case true?: "passed"
            case false?: "FAILED"
            case nil: "not checked"
            }
        }
        var lines = run.thresholds.map { threshold in
            let observed =
                threshold.observed.map { " (\(value($0, of: threshold)))" }
                ?? " (\(lack(of: threshold, in: run)))"
            return "  threshold \(threshold.metric) \(threshold.expression): "
                + mark(threshold.passed) + observed
        }
        lines += run.invariants.map { invariant in
            "  invariant \(invariant.name): \(mark(invariant.passed)) (\(invariant.detail))"
        }
        return lines
    }

    /// Why a metric has no value.
    private static func lack(of threshold: ThresholdResult, in run: ArmResult) -> String {
        let count = run.value(of: threshold.metric, "count") ?? 0
        guard count > 0 else { return "no samples" }
        let samples = "too few samples: \(HumanUnits.count(UInt64(count)))"
        return threshold.passed == true ? samples + ", and the maximum is below" : samples
    }

    private static func value(_ value: Double, of threshold: ThresholdResult) -> String {
        let parts = threshold.metric.split(separator: ".").map(String.init)
        let isCount = threshold.expression.hasPrefix("count")
        return switch parts.last ?? "" {
        case "response", "wait", "service", "lag", "age":
            isCount ? HumanUnits.count(UInt64(value)) : HumanUnits.time(UInt64(value))
        case "bytes": HumanUnits.bytes(UInt64(value))
        case "throughput": HumanUnits.rate(value)
        case "utilization", "saturation": HumanUnits.percent(value)
        default:
            threshold.expression.hasPrefix("rate")
                ? HumanUnits.percent(value) : HumanUnits.count(UInt64(value))
        }
    }

    private static func environment(_ result: RunResult) -> [String] {
        let host = result.environment
        var parts = [host.operatingSystem, host.architecture, "\(host.cpuCount) processors"]
        parts += host.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        if let fileSystem = host.fileSystem {
            let sync = host.syncNanoseconds.map { ", a sync takes \(HumanUnits.time($0))" } ?? ""
            parts.append(fileSystem + sync)
        }
        parts.append("seed \(result.seed)")
        return [parts.joined(separator: " · ")] + (host.warnings ?? []).map { "warning: \($0)" }
    }
}
