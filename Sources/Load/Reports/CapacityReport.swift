import Comparison
import Telemetry
import Text

/// A type that formats the result of a capacity search as text or Markdown.
package enum CapacityReport {
    /// Returns the report as text.
    package static func text(of result: CapacityResult) -> String {
        var lines: [String] = []
        if result.partial { lines.append("PARTIAL  \(result.partialReason ?? "stopped")") }
        lines += [headline(of: result), "", result.load.sentence]
        lines.append("A rate is sustained if: " + result.criteria.joined(separator: "; ") + ".")
        lines += [""] + TextTable(titles, result.arms.map(cells)).lines() + reasons(of: result)
        for arm in result.arms {
            for (client, reason) in (arm.unsupported ?? [:]).sorted(by: { $0.key < $1.key }) {
                lines.append("  \(arm.title): \(client) did not run: \(reason)")
            }
        }
        for needed in result.readers ?? [] { lines += ["", sentence(needed)] }
        if let loads = result.equalLoads, !loads.isEmpty {
            lines += ["", equalLoadsTitle]
            lines += equalLoads(loads, clients: result.load.clients.map(\.client)).lines()
            lines += missedLines(in: loads)
        }
        lines += [""] + ArmSettings.lines(of: result.settings)
        lines += TextReport.environment(result.environment, seed: result.seed)
        return ReportLines.text(lines.flatMap(ReportLines.wrapped))
    }

    private static func escaped(_ text: String) -> String { Escaping.markdown(text) }

    /// Returns the report as Markdown.
    package static func markdown(of result: CapacityResult) -> String {
        var lines = ["## Capacity for \(escaped(result.scenario))", ""]
        if result.partial {
            lines += ["**PARTIAL** " + escaped(result.partialReason ?? "stopped"), ""]
        }
        lines += [
            escaped(headline(of: result)), "", escaped(result.load.sentence), "",
            "A rate is sustained if:", "",
        ]
        lines += result.criteria.map { "* " + escaped($0) } + [""]
        lines += TextTable(titles, result.arms.map(cells)).markdown()
        let reasons = reasons(of: result)
        if !reasons.isEmpty {
            lines += [""] + reasons.map { "*\(escaped(String($0.dropFirst())))" }
        }
        for needed in result.readers ?? [] { lines += ["", escaped(sentence(needed))] }
        if let loads = result.equalLoads, !loads.isEmpty {
            lines += ["", equalLoadsTitle, ""]
            lines += equalLoads(loads, clients: result.load.clients.map(\.client)).markdown()
            lines += missedLines(in: loads).map(escaped)
        }
        lines += [""] + ArmSettings.lines(of: result.settings).map(escaped)
        lines += TextReport.environment(result.environment, seed: result.seed).map(escaped)
        return lines.joined(separator: "\n") + "\n"
    }

    static func headline(of result: CapacityResult) -> String {
        let known = result.arms.filter { $0.capacity != nil }
        guard let best = known.max(by: { $0.capacity ?? 0 < $1.capacity ?? 0 }),
            let highest = best.capacity
        else { return headlineWithoutCapacity(result) }
        var text = "\(result.scenario): \(best.title) sustains \(rate(best))"
        let others = known.filter { $0.title != best.title }.map { arm in
            let ratio = highest / max(arm.capacity ?? highest, 1e-9)
            // Both capacities have the search's precision.
            let isSame = ratio < (1 + result.precision) * (1 + result.precision)
            let hasLowerBound = best.lowerBound || arm.lowerBound
            return "\(arm.title) \(rate(arm))"
                + (hasLowerBound
                    ? ""
                    : isSame
                        ? ", the same within the precision"
                        : ", \(ReportUnits.factor(ratio)) lower")
        }
        if !others.isEmpty { text += "; " + others.joined(separator: "; ") }
        return text + "."
    }

    private static func headlineWithoutCapacity(_ result: CapacityResult) -> String {
        if !result.arms.isEmpty, result.arms.allSatisfy({ $0.noneAtAnyRate != nil }) {
            return "\(result.scenario): no arm sustains any rate, because each arm misses its "
                + "limit at every rate."
        }
        if let arm = result.arms.first(where: { $0.unanswered != nil }) {
            let interval = interval(arm).map { " (\($0))" } ?? ""
            return "\(result.scenario): undecided\(interval): \(arm.unanswered ?? "")."
        }
        return "\(result.scenario): no arm sustains any rate that was tried."
    }

    private static func rate(_ arm: CapacityResult.ArmCapacity) -> String {
        let rate = (arm.lowerBound ? "at least " : "") + ReportUnits.rate(arm.capacity ?? 0)
        return rate
            + (arm.capacity == nil
                ? ""
                : arm.failsAt.map {
                    " and fails at \(ReportUnits.rate($0))"
                } ?? "")
    }

    /// The rates that passed and failed, such as `100/s passed, 200/s failed`, or `nil` if there
    /// are none.
    static func interval(_ arm: CapacityResult.ArmCapacity) -> String? {
        let passed = arm.trials.filter { $0.met == true }.map(\.rate).max()
        let failed = arm.trials.filter { $0.met == false && $0.rate > passed ?? 0 }
            .map(\.rate).min()
        let open = arm.trials.filter { $0.undecided == true }.map(\.rate).max()
        let parts = [
            passed.map { "\(ReportUnits.rate($0)) passed" },
            open.flatMap { rate in
                rate > passed ?? 0 ? "\(ReportUnits.rate(rate)) missed no limit" : nil
            },
            failed.map { "\(ReportUnits.rate($0)) failed" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    // MARK: Tables

    private static let titles = ["arm", "sustains", "confirmed", "fails at"]

    private static let equalLoadsTitle =
        "Response times at equal loads. Each load is a share of the slowest arm's capacity:"

    private static func cells(of arm: CapacityResult.ArmCapacity) -> [String] {
        [
            arm.title,
            arm.capacity.map { (arm.lowerBound ? "≥ " : "") + ReportUnits.rate($0) }
                ?? (arm.noneAtAnyRate != nil
                    ? "none: fails at every rate"
                    : arm.unanswered != nil ? interval(arm) ?? "undecided" : "none"),
            arm.confirmed ? "yes" : "no",
            arm.failsAt.map { ReportUnits.rate($0) } ?? "–",
        ]
    }

    private static func reasons(of result: CapacityResult) -> [String] {
        result.arms.compactMap { arm in
            let reason =
                arm.noneAtAnyRate ?? arm.unanswered ?? arm.failure
                ?? (arm.lowerBound ? "the search ended before a run failed" : nil)
            return reason.map { "  \(arm.title): \($0)" }
        }
    }

    private static func equalLoads(
        _ loads: [CapacityResult.EqualLoad],
        clients: [String]
    ) -> TextTable {
        let all = loads.flatMap(\.arms).flatMap { $0.response.values.map(\.summary) }
        let columns = LatencyColumns([.p50, .p99, .p999, .p9999], for: all)
        var table = TextTable(["load", "rate", "arm", "client"] + columns.titles)
        for load in loads {
            var isFirst = true
            for arm in load.arms {
                for (number, client) in clients.enumerated() {
                    let name = arm.arm + (arm.missed == nil && arm.invalid == nil ? "" : " *")
                    table.add(
                        [
                            isFirst ? ReportUnits.percent(load.share) : "",
                            isFirst ? ReportUnits.rate(load.rate) : "",
                            number == 0 ? name : "", client,
                        ] + columns.cells(arm.response[client]?.summary)
                    )
                    isFirst = false
                }
            }
        }
        return table
    }

    private static func missedLines(in loads: [CapacityResult.EqualLoad]) -> [String] {
        loads.flatMap { load in
            load.arms.compactMap { arm in
                let share = ReportUnits.percent(load.share)
                if arm.invalid == true {
                    return "* \(arm.arm) at \(share): the generator was the bottleneck"
                }
                return arm.missed.map { "* \(arm.arm) at \(share): \($0)" }
            }
        }
    }

    private static func sentence(_ needed: CapacityResult.ReadersNeeded) -> String {
        let rate = ReportUnits.rate(needed.rate)
        let reason = needed.failure.map { "; with fewer readers: \($0)" } ?? ""
        guard let smallest = needed.smallest else {
            let readers = needed.candidates.last.map { " with \($0) or fewer readers" } ?? ""
            return "\(needed.arm): \(rate) is not sustained\(readers)"
                + (needed.failure.map { ": \($0)" } ?? "") + "."
        }
        return "\(needed.arm): maximumReaderCount \(smallest) is the smallest that sustains "
            + "\(rate)\(reason)."
    }
}

extension CapacityResult.EqualLoad.Latency {
    /// A summary for a table, with 0 for the unknown count and mean.
    fileprivate var summary: LatencySummary {
        LatencySummary(
            count: 0,
            mean: 0,
            p50: p50,
            p99: p99,
            p999: p999,
            p9999: p9999,
            max: max
        )
    }
}
