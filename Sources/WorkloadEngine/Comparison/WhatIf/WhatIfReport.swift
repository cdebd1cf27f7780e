/// Writes predictions for people.
public enum WhatIfReport {
    /// The whole report, with a newline at its end.
    public static func text(of result: WhatIfResult) -> String {
        var lines = [
            "what if \(result.scenario) on \(result.arm) (\(result.recorded)) had other connections: "
                + "p99 wait, simulated \(result.runs) times on \(result.cpuCount) "
                + (result.cpuCount == 1 ? "processor" : "processors")
                + ", all together [least … most of one]"
        ]
        lines.append("")
        lines += table(result)
        lines.append("")
        lines.append("how well the model reproduces the recorded run (\(result.recorded)):")
        lines += comparisons(result.fit)
        for check in result.checks ?? [] {
            lines.append("")
            let setting =
                "\(check.setting)" + (check.setting == result.recorded ? " (recorded)" : "")
            lines.append(
                check.runs.map {
                    "\($0) real runs with \(setting), all together [least … most of one]:"
                } ?? "a real run with \(setting):"
            )
            if let problem = check.problem { lines.append("  means little: \(problem)") }
            lines += comparisons(check.clients)
        }
        if let notes = result.notes {
            lines.append("")
            lines += notes.map { "note: \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table(_ result: WhatIfResult) -> [String] {
        let clients = Set(result.predictions.flatMap(\.clients.keys)).sorted()
        guard !clients.isEmpty else {
            return ["  no client has enough accesses for a 99th percentile: 1,000 at least"]
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

    /// The predictions, those of neighbouring pools that say the same together; the recorded
    /// setting stands alone.
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
        let skipped = wait.skipped.map { ", \(HumanUnits.percent($0)) skipped" } ?? ""
        return "\(HumanUnits.time(wait.p99)) [\(HumanUnits.time(wait.low)) … "
            + "\(HumanUnits.time(wait.high))]\(skipped)"
    }

    private static func comparisons(_ comparisons: [String: WhatIfComparison]) -> [String] {
        guard !comparisons.isEmpty else {
            return ["  no client has a 99th percentile on both sides: 1,000 accesses at least"]
        }
        return comparisons.sorted { $0.key < $1.key }.map { name, own in
            "  \(name): predicted \(HumanUnits.time(own.predicted)), measured "
                + "\(measured(own)): \(error(own)), "
                + (own.isWithin ? "within" : "NOT within") + " the larger of 25 % and 1 ms"
        }
    }

    private static func measured(_ own: WhatIfComparison) -> String {
        let all = HumanUnits.time(own.measured)
        guard let least = own.least, let most = own.most else { return all }
        return "\(all) [\(HumanUnits.time(least)) … \(HumanUnits.time(most))]"
    }

    private static func error(_ own: WhatIfComparison) -> String {
        let percent = HumanUnits.percent(abs(own.error))
        return own.error < 0 ? "\(percent) too short" : "\(percent) too long"
    }
}
