/// Writes a comparison for people.
public enum ComparisonReport {
    /// The whole report, with a newline at its end.
    public static func text(of result: ComparisonResult) -> String {
        var lines: [String] = []
        for (client, reason) in (result.leftOut ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("left out of every arm: \(client), because \(reason)")
        }
        for line in result.violations ?? [] { lines.append("INVARIANT VIOLATED  \(line)") }
        for line in result.invalidRuns ?? [] { lines.append("INVALID  \(line)") }
        let names = result.arms.map(\.arm).joined(separator: ", ")
        lines.append(
            (result.partial ? "PARTIAL  " : "") + "\(result.scenario): \(names); "
                + "\(result.blocks) blocks of \(HumanUnits.seconds(result.blockDuration)) each, "
                + "medians with the middle half of the blocks"
        )
        lines.append("")
        lines += table(result)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table(_ result: ComparisonResult) -> [String] {
        // Also the metrics without enough samples: what is missing is seen to be missing.
        let clients = Set(
            result.arms.flatMap(\.metrics.keys).compactMap { $0.split(separator: ".").first }
        )
        let metrics = clients.sorted().flatMap { client in
            ComparisonRun.metricNames.map { "\(client).\($0)" }
        }
        var table = TextTable(["metric"] + result.arms.map(\.arm))
        for metric in metrics {
            table.add([metric] + result.arms.map { cell($0.metrics[metric], of: metric) })
        }
        return table.lines()
    }

    private static func cell(_ spread: Spread?, of metric: String) -> String {
        guard let spread else { return "–" }
        func text(_ value: Double) -> String {
            metric.hasSuffix(".throughput")
                ? HumanUnits.rate(value) : HumanUnits.time(UInt64(value.rounded()))
        }
        return "\(text(spread.median)) [\(text(spread.lowerQuartile)) … "
            + "\(text(spread.upperQuartile))]"
    }
}
