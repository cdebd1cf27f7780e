import Text

/// A type that formats a comparison at the values of a setting, with one row for each value.
///
/// Each table is about one primary metric. Unless the user chooses more metrics, there is only one.
package enum SweepReport {
    /// Returns the report as text.
    static func text(of result: ComparisonResult, _ sweep: SweepSummary) -> String {
        var lines = ComparisonReport.problems(of: result) + result.answer
        lines += ComparisonReport.omissionLines(of: result)
        lines += (result.warnings ?? []).map { "warning: \($0)" }
        lines += ["", title(of: result, sweep)]
        for metric in result.primary {
            lines += ["", metric] + table(metric, result: result, sweep: sweep).lines(indent: "  ")
        }
        lines += ComparisonReport.notes(result).map { "  \($0)" }
        return ReportLines.text(lines + [""] + ComparisonReport.method(result))
    }

    /// Returns the report as Markdown.
    static func markdown(of result: ComparisonResult, _ sweep: SweepSummary) -> String {
        let escaped = Escaping.markdown
        func list(_ lines: [String]) -> [String] {
            lines.isEmpty ? [] : [lines.map { "* " + escaped($0) }.joined(separator: "\n")]
        }
        var parts = ["## " + escaped(result.scenario)]
        parts += list(ComparisonReport.problems(of: result))
        parts += result.answer.map { "**\(escaped($0))**" }
        parts += list(
            ComparisonReport.omissionLines(of: result)
                + (result.warnings ?? []).map { "warning: \($0)" }
        )
        parts.append(escaped(title(of: result, sweep)))
        for metric in result.primary {
            let lines = table(metric, result: result, sweep: sweep).markdown(
                [":--"],
                "--:",
                escaped
            )
            parts += ["### " + escaped(metric), lines.joined(separator: "\n")]
        }
        parts += list(ComparisonReport.notes(result))
        let method = ComparisonReport.method(result).map(escaped).joined(separator: "<br>")
        parts.append("<sub>\(method)</sub>")
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Returns the HTML page, with one chart for each primary metric.
    ///
    /// - Throws: `EncodingError` if the result cannot be encoded as JSON.
    static func html(of result: ComparisonResult, _ sweep: SweepSummary) throws -> String {
        let names = sweep.arms.joined(separator: ", ")
        var page = HTMLPage(title: "\(result.scenario): \(names) by \(sweep.variable)")
        page.lead = ComparisonHTML.lead(result)
        for (index, metric) in result.primary.enumerated() {
            page.add(
                metric,
                [
                    .paragraph(title(of: result, sweep) + "."),
                    chart(metric, result: result, sweep: sweep, id: "sweep-\(index)"),
                    htmlTable(metric, result: result, sweep: sweep),
                ]
            )
        }
        let notes = ComparisonReport.notes(result) + ComparisonReport.method(result)
        page.add("Method and environment", [.list(notes)])
        if !result.environment.scenarioText.isEmpty {
            page.add(
                "Scenario",
                [.verbatim(result.environment.scenarioText, label: "Scenario text")]
            )
        }
        try page.embed(result, id: "result")
        return page.html
    }

    // MARK: Sentences

    /// Returns a sentence for each primary metric.
    ///
    /// For example: `ui p99 of pool against queue: better at readers 4, 8 (by up to 3.1×);
    /// inconclusive at readers 1, 2.`
    static func answer(of result: ComparisonResult, _ sweep: SweepSummary) -> [String] {
        guard result.blocks > 0 else { return [] }
        return result.primary.map { metric in
            let pairs = sweep.rows.compactMap { row in
                row.pair(metric, in: result).map { (value: row.value, pair: $0) }
            }
            let order: [ComparisonVerdict] = [.better, .worse, .same, .inconclusive]
            let parts = order.compactMap { verdict -> String? in
                let found = pairs.filter { $0.pair.verdict == verdict }
                guard !found.isEmpty else { return nil }
                let factors = found.compactMap { row in
                    row.pair.ratio.map { (factor: max($0, 1 / $0), pair: row.pair) }
                }
                let size =
                    verdict.isDifference
                    ? factors.max { $0.factor < $1.factor }.map { largest in
                        let most = found.count > 1 ? "up to " : ""
                        let least = largest.pair.isBound == true ? "at least " : ""
                        return " (by \(most)\(least)\(ReportUnits.factor(largest.factor)))"
                    } ?? "" : ""
                return "\(verdict.rawValue) at \(sweep.variable) "
                    + found.map(\.value).joined(separator: ", ") + size
            }
            let baseline =
                sweep.arms.count > 1
                ? sweep.arms[0] : "\(sweep.variable) \(sweep.rows.first?.value ?? "")"
            return "\(ComparisonResult.title(of: metric)) of \(sweep.arms.last ?? "") against "
                + "\(baseline): \(parts.joined(separator: "; "))."
        }
    }

    /// Describes the runs, as in `sync: pool against queue at 4 values of readers; 8 blocks …`.
    private static func title(of result: ComparisonResult, _ sweep: SweepSummary) -> String {
        let subject =
            sweep.arms.count > 1
            ? "\(sweep.arms[1]) against \(sweep.arms[0])" : sweep.arms.joined()
        return "\(result.scenario): \(subject) at "
            + "\(HumanUnits.counted(sweep.rows.count, "value")) of \(sweep.variable); "
            + "\(HumanUnits.counted(result.blocks, "block")) of runs of "
            + "\(ReportUnits.seconds(result.blockDuration)), in random order"
    }

    // MARK: Rows

    private static func titles(_ sweep: SweepSummary) -> [String] {
        [sweep.variable] + sweep.arms + ComparisonReport.columns.dropFirst(3)
    }

    private static func rows(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary
    ) -> [[String]] {
        sweep.rows.map { row in
            guard let pair = row.pair(metric, in: result) else {
                let value = ComparisonReport.median(of: row.b, metric, result: result)
                return [row.value, value, "–", "–", "–", "–", "baseline"]
            }
            let cells = ComparisonReport.row(pair, result: result)
            return [row.value] + cells.dropFirst(sweep.arms.count > 1 ? 1 : 2)
        }
    }

    private static func table(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary
    ) -> TextTable {
        TextTable(titles(sweep), rows(metric, result: result, sweep: sweep))
    }

    private static func htmlTable(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary
    ) -> Markup {
        var table = HTMLTable("\(metric) by \(sweep.variable)", columns: titles(sweep))
        for row in rows(metric, result: result, sweep: sweep) { table.add(row) }
        return table.markup
    }

    private static func chart(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary,
        id: String
    ) -> Markup {
        let baseline =
            sweep.arms.count > 1
            ? sweep.arms[0] : "\(sweep.variable) \(sweep.rows.first?.value ?? "")"
        return IntervalChart(
            id: id,
            title: "\(metric) of \(sweep.arms.last ?? "") divided by that of \(baseline)",
            rows: sweep.rows.compactMap { row in
                row.pair(metric, in: result).map { pair in
                    IntervalChart.Row(
                        name: "\(sweep.variable) \(row.value)",
                        ratio: pair.ratio,
                        low: pair.low,
                        high: pair.high,
                        floor: result.noiseFloor[metric],
                        verdict: pair.verdict.rawValue,
                        isBound: pair.isBound == true
                    )
                }
            }
        ).markup
    }
}

extension SweepSummary.Row {
    /// The row's comparison of a metric, or `nil` if the row is the baseline.
    fileprivate func pair(_ metric: String, in result: ComparisonResult) -> ComparisonPair? {
        a.flatMap { result.pair(metric, of: b, against: $0) }
    }
}

/// The runs of a comparison that varies a setting.
///
/// With two arms, the comparison judges the second arm against the first at each value. With one
/// arm, it judges the arm at each value against the same arm at the first value.
package struct ComparisonSweep: Sendable {
    /// An arm at one of the values.
    struct Variant: Sendable {
        /// The arm, with the value in its name, such as `pool, readers 4`.
        var arm: Arm
        /// The scenario with the value.
        var scenario: Scenario
    }

    /// The varied setting and its values.
    package let sweep: Sweep
    /// The names of the one or two arms, with the baseline arm first.
    package let arms: [String]
    /// The arms at each value, in the order of the values and then of the arms.
    let variants: [Variant]

    /// Creates the runs.
    ///
    /// - Parameters:
    ///   - sweep: The setting and its values.
    ///   - scenario: The scenario.
    ///   - arms: The names of one or two arms.
    ///   - reload: A function that decodes the scenario's file again with a changed value.
    /// - Throws: ``RunError`` or ``ScenarioError`` if the arms or values do not fit the scenario. The
    ///   message contains valid values.
    package init(
        _ sweep: Sweep,
        of scenario: Scenario,
        arms: [String],
        reload: (Scenario.Setting) throws -> Scenario
    ) throws {
        self.sweep = sweep
        self.arms = arms
        guard sweep.values.count > 1 else {
            throw RunError(
                .scenario,
                "--sweep needs several values, such as \(sweep.variable.example)"
            )
        }
        guard (1...2).contains(arms.count), Set(arms).count == arms.count else {
            throw RunError(
                .scenario,
                "--sweep compares two different arms, or one arm with itself; specify them with "
                    + "--arms: \(scenario.arms.map(\.name).joined(separator: ", "))"
            )
        }
        var base = scenario
        base.arms = try arms.map { try scenario.arm(named: $0) }
        variants = try sweep.values.flatMap { value in
            let changed = try base.with(value, of: sweep.variable, reload: reload)
            return try arms.map { name in
                var arm = try changed.arm(named: name)
                arm.name = Self.name(of: name, sweep, value: value)
                var scenario = changed
                scenario.arms = [arm]
                return Variant(arm: arm, scenario: scenario)
            }
        }
    }

    private static func name(of arm: String, _ sweep: Sweep, value: Sweep.Value) -> String {
        "\(arm), \(sweep.variable.name) \(value.text)"
    }

    /// The values with the names of the arms that they compare.
    var rows: [SweepSummary.Row] {
        sweep.values.enumerated().map { index, value in
            let names = arms.map { Self.name(of: $0, sweep, value: value) }
            let first = variants.first?.arm.name
            return SweepSummary.Row(
                value: value.text,
                a: names.count > 1 ? names.first : index > 0 ? first : nil,
                b: names.last ?? ""
            )
        }
    }

    var pairs: [ComparisonPlan.Pair] {
        rows.compactMap { row in row.a.map { ComparisonPlan.Pair(a: $0, b: row.b) } }
    }
}

/// The values of a sweep in the result of a comparison.
public struct SweepSummary: Sendable, Codable, Equatable {
    /// The varied setting, such as `readers`.
    public var variable: String
    /// The names of the one or two arms, with the baseline arm first.
    public var arms: [String]
    /// The number of blocks that the time limit was meant for.
    public var plannedBlocks: Int
    /// The values, in order.
    public var rows: [Row]

    /// A value with the arms that it compares.
    public struct Row: Sendable, Codable, Equatable {
        /// The value, such as `20ms`.
        public var value: String
        /// The baseline, as named in ``ComparisonResult/arms``, or `nil` if the row is the baseline.
        public var a: String?
        /// The arm to compare with the baseline.
        public var b: String
    }
}
