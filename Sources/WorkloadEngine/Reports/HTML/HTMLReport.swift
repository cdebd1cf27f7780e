import Telemetry
import Text

/// A type that formats a result as a single HTML file without scripts or network access.
///
/// The page also contains the result as JSON, in an element with the identifier `result`.
public enum HTMLReport {
    /// Returns the page, ending with a line feed.
    ///
    /// - Throws: `EncodingError` if the result cannot be encoded as JSON.
    public static func text(of result: RunResult) throws -> String {
        var page = HTMLPage(title: title(of: result))
        page.lead = (result.failures ?? []).map {
            .element("p", ["class": "verdict lead failed"], .text("FAILED  \($0)"))
        }
        page.lead += result.runs.map { verdict($0, of: result) }
        page.lead += (result.environment.warnings ?? []).map {
            .element("p", ["class": "verdict failed"], .text("Warning: \($0)"))
        }
        page.add("Summary", summarySection(result.runs))
        page.add(
            "Latency over time",
            arms(result.runs) { [latencyOverTime($1, id: "time-\($0)")] }
        )
        var percentiles: [Markup] = []
        if result.runs.count > 1 { percentiles.append(percentilesByArm(result.runs, id: "arms")) }
        percentiles += arms(result.runs) { [Self.percentiles($1, id: "spectrum-\($0)")] }
        if !percentiles.isEmpty { percentiles.insert(spectrumNote, at: 0) }
        page.add("Percentiles", percentiles)
        page.add(
            "Connections and saturation",
            arms(result.runs) { saturation($1, id: "saturation-\($0)") }
        )
        page.add("Write-ahead log", arms(result.runs) { log($1, id: "log-\($0)") })
        page.add("Findings", arms(result.runs) { findings($1) })
        page.add("What slow accesses waited for", arms(result.runs) { blame($1) })
        page.add("SQLITE_BUSY by cause", arms(result.runs) { busy($1) })
        page.add("Thresholds and invariants", arms(result.runs) { checks($1) })
        page.add("All numbers", arms(result.runs) { numbers($1) })
        page.add(
            "Environment",
            [environment(result.environment, seed: result.seed)]
                + arms(result.runs) { [pragmas($1)] }
        )
        if !result.environment.scenarioText.isEmpty {
            page.add(
                "Scenario",
                [.verbatim(result.environment.scenarioText, label: "Scenario text")]
            )
        }
        try page.embed(result, id: "result")
        return page.html
    }

    static let spectrumNote = Markup.element(
        "p",
        ["class": "note"],
        """
        Each nine of a percentile has the same width, and the latency axis is \
        logarithmic. Lines end where fewer than ten accesses were slower.
        """
    )

    private static func title(of result: RunResult) -> String {
        let arms = result.runs.map(\.arm).joined(separator: ", ")
        return arms.isEmpty ? result.scenario : "\(result.scenario): \(arms)"
    }

    private static func verdict(_ run: ArmResult, of result: RunResult) -> Markup {
        let mark =
            switch run.exitStatus {
            case .passed: "passed"
            case .undecided: "undecided"
            default: "failed"
            }
        return .element(
            "p",
            ["class": "verdict lead \(mark)"],
            .text(TextReport.verdict(of: run, scenario: result.scenario))
        )
    }

    /// Returns the nonempty sections, with a heading for each if there are several arms.
    static func arms(
        _ runs: [ArmResult],
        _ body: (Int, ArmResult) -> [Markup]
    ) -> [Markup] {
        let parts = runs.enumerated().map { index, run in
            (run.arm, body(index, run).filter { $0 != .empty })
        }
        return parts.filter { !$0.1.isEmpty }.flatMap { arm, body in
            runs.count > 1 ? [.heading(arm)] + body : body
        }
    }

    private static func summarySection(_ runs: [ArmResult]) -> [Markup] {
        func times(_ count: some BinaryInteger) -> String {
            count == 1 ? "once" : HumanUnits.exact(UInt64(clamping: count)) + " times"
        }
        return arms(runs) { _, run in
            var lines = (run.unsupported ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key) did not run: \($0.value)." }
            lines += (run.busyHolders ?? [:]).sorted { $0.key < $1.key }.map {
                "The database was busy \(times($0.value)) because of \($0.key)."
            }
            lines += TextReport.fairness(run).map { String($0.drop { $0 == " " }) + "." }
            lines += (run.refusals ?? [:]).sorted { $0.key < $1.key }.map {
                "The guard rejected \($0.key) \(times($0.value))."
            }
            let summary = ClientSummary([run])
            var table = HTMLTable(
                "Clients",
                columns: ["client", "completed", "rate"]
                    + summary.latencies.titles.enumerated().map { $0 == 0 ? "response \($1)" : $1 }
                    + ["wait p99", "errors", "skipped"]
            )
            for (name, client) in clients(run) { table.add(summary.cells(name, client)) }
            let isClosed = run.clients.values.contains(where: \.showsClosedLoop)
            return [
                table.markup,
                isClosed ? closedLoopNote : .empty,
                lines.isEmpty ? .empty : .list(lines),
            ]
        }
    }

    private static let closedLoopNote = Markup.element(
        "p",
        ["class": "note"],
        """
        † closed loop: a worker runs one access at a time, so a stall delays only one access.
        """
    )

    static func pragmas(_ run: ArmResult) -> Markup {
        var facts = run.environment.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let generator = run.generator
        if let noop = generator.noop { facts.append(("generator cost per access", "\(noop) ns")) }
        if let share = generator.cpuShare {
            facts.append(("generator share of processors", ReportUnits.percent(share)))
        }
        if let lag = generator.lagP99 {
            facts.append(("idle workers started within (p99)", ReportUnits.time(lag)))
        }
        if let steal = generator.stealShare {
            facts.append(("stolen processor time", ReportUnits.percent(steal)))
        }
        return definitions(facts)
    }
}
