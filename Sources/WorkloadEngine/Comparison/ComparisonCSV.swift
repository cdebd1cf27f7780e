import Text

/// A type that writes a comparison as comma-separated values (RFC 4180, with bare line feeds).
///
/// The `row` column specifies the kind of row. A `pair` row contains the verdict on a metric for
/// two arms, with the settings of arm `b`. A `value` row contains a metric's value for one arm in
/// one block. If the `control` column is `true`, the value is from the first arm's second run.
/// Times are in nanoseconds, and rates are in accesses/s. A cell without a measurement is empty.
public enum ComparisonCSV {
    private static let columns = [
        "row", "scenario", "seed", "metric", "a", "b", "primary", "lower_is_better", "ratio", "low",
        "high", "p", "verdict", "blocks", "noise_floor", "arm", "control", "block", "value",
        "versions", "journal_mode", "synchronous",
    ]

    /// Returns the header and all rows.
    public static func text(of result: ComparisonResult) -> String {
        let versions =
            result.environment.versions.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }.joined(separator: " ")
        var lines = [columns.joined(separator: ",")]
        func add(_ cells: [String: String]) {
            var cells = cells
            cells["scenario"] = result.scenario
            cells["seed"] = String(result.seed)
            cells["versions"] = versions
            let settings = result.arms.first { $0.arm == cells["arm"] ?? cells["b"] }?
                .representative?.environment
            cells["journal_mode"] = settings?["journal_mode"]
            cells["synchronous"] = settings?["synchronous"]
            lines.append(columns.map { Escaping.csvCell(cells[$0] ?? "") }.joined(separator: ","))
        }
        for pair in result.pairs {
            var cells = [
                "row": "pair", "metric": pair.metric, "a": pair.a, "b": pair.b,
                "primary": String(pair.primary), "lower_is_better": String(pair.lowerIsBetter),
                "verdict": pair.verdict.rawValue, "blocks": String(pair.blocks),
            ]
            cells["ratio"] = pair.ratio.map { String($0) }
            cells["low"] = pair.low.map { String($0) }
            cells["high"] = pair.high.map { String($0) }
            cells["p"] = pair.p.map { String($0) }
            cells["noise_floor"] = result.noiseFloor[pair.metric].map { String($0) }
            add(cells)
        }
        for (arm, isControl) in result.arms.map({ ($0, false) })
            + (result.control.map { [($0, true)] } ?? [])
        {
            for (metric, values) in arm.values.sorted(by: { $0.key < $1.key }) {
                for (block, value) in values.enumerated() {
                    add([
                        "row": "value", "metric": metric, "arm": arm.arm,
                        "control": String(isControl), "block": String(block + 1),
                        "value": value.map { String($0) } ?? "",
                    ])
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
