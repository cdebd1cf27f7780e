/// A type that formats predictions as text.
package enum WhatIfReport {
    /// Returns the report as text.
    package static func text(of result: WhatIfResult) -> String {
        let recorded = result.recorded == .queue ? "a queue" : "\(result.recorded)"
        var lines = [
            "p99 wait of \(result.scenario) on \(result.arm) (recorded with \(recorded)), "
                + "for other numbers of connections: combined result of \(result.runs) "
                + (result.runs == 1 ? "simulation" : "simulations") + " on \(result.cpuCount) "
                + (result.cpuCount == 1 ? "processor" : "processors")
                + " [lowest … highest simulation]"
        ]
        lines.append("")
        lines += table(result)
        lines.append("")
        lines.append("how well the model reproduces the recorded run (\(result.recorded)):")
        lines += comparisons(result.fit)
        for check in result.checks ?? [] {
            lines.append("")
            lines.append(title(check.runs ?? 1, with: "\(check.setting)"))
            if let problem = check.problem { lines.append("  unreliable: \(problem)") }
            lines += comparisons(check.clients)
        }
        if let repetition = result.repetition {
            lines.append("")
            lines.append(title(repetition.runs, with: "\(result.recorded), as in the recording"))
            if let problem = repetition.problem { lines.append("  unreliable: \(problem)") }
            lines += repetitions(repetition.clients)
        }
        if let notes = result.notes {
            lines.append("")
            lines += notes.map { "note: \($0)" }
        }
        if let versions = result.versions, !versions.isEmpty {
            let parts = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            lines += ["", "recorded with " + parts.joined(separator: ", ")]
        }
        lines += ArmSettings.lines(of: result.settings)
        return ReportLines.text(lines)
    }

    private static func table(_ result: WhatIfResult) -> [String] {
        let clients = Set(result.predictions.flatMap(\.clients.keys)).sorted()
        guard !clients.isEmpty else {
            return ["  no client has the 1,000 accesses that a 99th percentile needs"]
        }
        var table = TextTable(["setting"] + clients)
        for group in groups(result) {
            guard let first = group.first, let last = group.last else { continue }
            var title = WhatIfSetting.title(from: first.setting, to: last.setting)
            if first.setting == result.recorded { title += " (recorded)" }
            table.add([title] + clients.map { cell(first.clients[$0]) })
        }
        return table.lines(indent: "  ")
    }

    /// Groups adjacent pools with equal predictions, with a separate group for the recorded
    /// setting.
    private static func groups(_ result: WhatIfResult) -> [[WhatIfPrediction]] {
        var groups: [[WhatIfPrediction]] = []
        for prediction in result.predictions {
            if let last = groups.last?.last, last.clients == prediction.clients,
                last.setting != .queue,
                last.setting != result.recorded, prediction.setting != result.recorded
            {
                groups[groups.count - 1].append(prediction)
            } else {
                groups.append([prediction])
            }
        }
        return groups
    }

    private static func cell(_ wait: WhatIfPrediction.Wait?) -> String {
        guard let wait else { return "–" }
        let skipped = wait.skipped.map { ", \(ReportUnits.percent($0)) skipped" } ?? ""
        return "\(ReportUnits.time(wait.p99)) [\(ReportUnits.time(wait.low)) … "
            + "\(ReportUnits.time(wait.high))]\(skipped)"
    }

    private static func comparisons(_ comparisons: [String: WhatIfComparison]) -> [String] {
        guard !comparisons.isEmpty else {
            return [tooFew]
        }
        return comparisons.sorted { $0.key < $1.key }.map { name, comparison in
            "  \(name): predicted \(ReportUnits.time(comparison.predicted)), measured "
                + "\(measured(comparison)): \(error(comparison)), "
                + (comparison.isWithinTolerance ? "within" : "NOT within")
                + " the larger of 25% and 1 ms"
        }
    }

    private static func measured(_ comparison: WhatIfComparison) -> String {
        range(comparison.measured, comparison.least, comparison.most)
    }

    private static func range(_ all: UInt64, _ least: UInt64?, _ most: UInt64?) -> String {
        let all = ReportUnits.time(all)
        guard let least, let most else { return all }
        return "\(all) [\(ReportUnits.time(least)) … \(ReportUnits.time(most))]"
    }

    private static func title(_ runs: Int, with setting: String) -> String {
        runs == 1
            ? "a real run with \(setting):"
            : "\(runs) real runs with \(setting), combined [lowest … highest single run]:"
    }

    private static func repetitions(_ clients: [String: WhatIfRepetition.Client]) -> [String] {
        guard !clients.isEmpty else { return [tooFew] }
        return clients.sorted { $0.key < $1.key }.map { name, comparison in
            let verdict =
                switch comparison.verdict {
                case .same: "unchanged"
                case .changed: "CHANGED by more than 25% and 1 ms"
                case .inconclusive: "inconclusive: single runs differ as much, or are unreliable"
                }
            return "  \(name): recorded \(ReportUnits.time(comparison.recorded)), now "
                + "\(range(comparison.now, comparison.least, comparison.most)): \(verdict)"
        }
    }

    private static let tooFew =
        "  no client has enough accesses for a p99 in both results (1,000 in each)"

    private static func error(_ comparison: WhatIfComparison) -> String {
        let percent = ReportUnits.percent(abs(comparison.error))
        return comparison.error < 0 ? "\(percent) too short" : "\(percent) too long"
    }
}
