/// Writes predictions for people.
public enum WhatIfReport {
    /// The whole report, with a newline at its end.
    public static func text(of result: WhatIfResult) -> String {
        var lines = [
            "what if \(result.scenario) on \(result.arm) (\(result.recorded)) had other connections: "
                + "p99 wait, simulated \(result.runs) times on \(result.cpuCount) "
                + (result.cpuCount == 1 ? "processor" : "processors") + ", median [least … most]"
        ]
        lines.append("")
        lines += table(result)
        lines.append("")
        lines.append("how well the model reproduces the recorded run (\(result.recorded)):")
        lines += comparisons(result.fit)
        for check in result.checks ?? [] {
            lines.append("")
            lines.append("a real run with \(check.setting):")
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
        for prediction in result.predictions {
            let mark = prediction.setting == result.recorded ? " (recorded)" : ""
            table.add(
                ["\(prediction.setting)\(mark)"]
                    + clients.map { cell(prediction.clients[$0]) }
            )
        }
        return table.lines(indent: "  ")
    }

    private static func cell(_ wait: WhatIfPrediction.Wait?) -> String {
        guard let wait else { return "–" }
        return "\(HumanUnits.time(wait.p99)) [\(HumanUnits.time(wait.low)) … "
            + "\(HumanUnits.time(wait.high))]"
    }

    private static func comparisons(_ comparisons: [String: WhatIfComparison]) -> [String] {
        guard !comparisons.isEmpty else {
            return ["  no client has a 99th percentile on both sides: 1,000 accesses at least"]
        }
        return comparisons.sorted { $0.key < $1.key }.map { name, own in
            "  \(name): predicted \(HumanUnits.time(own.predicted)), measured "
                + "\(HumanUnits.time(own.measured)): \(error(own)), "
                + (own.isWithin ? "within" : "NOT within") + " the larger of 25 % and 1 ms"
        }
    }

    private static func error(_ own: WhatIfComparison) -> String {
        let percent = HumanUnits.percent(abs(own.error))
        return own.error < 0 ? "\(percent) too short" : "\(percent) too long"
    }
}
