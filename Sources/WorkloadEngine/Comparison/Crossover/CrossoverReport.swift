import Units

/// A type that formats a crossover map as text or Markdown.
package enum CrossoverReport {
    /// The capabilities of the output.
    package struct Style: Sendable, Equatable {
        /// Whether the output supports color.
        package var hasColor: Bool
        /// Whether the output supports non-ASCII characters.
        package var isUTF8: Bool

        /// Creates a style.
        package init(hasColor: Bool = false, isUTF8: Bool = true) {
            self.hasColor = hasColor
            self.isUTF8 = isUTF8
        }
    }

    /// Returns the report as text.
    package static func text(of result: CrossoverResult, style: Style = Style()) -> String {
        var text = ReportLines.text(heading(of: result))
        if let grid = CrossoverGrid(result) {
            for page in grid.pages {
                text += ReportLines.text([""] + (page.title.map { [$0, ""] } ?? []))
                // Do not escape the map, because it contains escape sequences for colors.
                text += map(page, grid, result, style).map { $0 + "\n" }.joined()
            }
        }
        var lines = [""] + legend(of: result)
        lines += corners(of: result)
        lines += [""] + ArmSettings.lines(of: result.settings)
        lines += TextReport.environment(result.environment, seed: result.seed)
        text += ReportLines.text(lines)
        return style.isUTF8 ? text : ascii(text)
    }

    private static func escaped(_ text: String) -> String { MarkdownText.escaped(text) }

    /// Returns the report as Markdown.
    package static func markdown(of result: CrossoverResult) -> String {
        var lines = [
            "## " + escaped("Where \(result.b) beats \(result.a): \(result.scenario)"), "",
        ]
        lines += heading(of: result).flatMap { [escaped($0), ""] }
        if let grid = CrossoverGrid(result) {
            for page in grid.pages {
                if let title = page.title { lines += ["### " + escaped(title), ""] }
                lines += markdownTable(page, grid, result) + [""]
            }
        }
        lines += legend(of: result).map { "* " + escaped($0) }
        lines += corners(of: result).map {
            $0.hasPrefix("  ") ? "    " + VisibleText.escaped($0) : escaped($0)
        }
        lines += [""] + ArmSettings.lines(of: result.settings).map(escaped)
        lines += TextReport.environment(result.environment, seed: result.seed).map(escaped)
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Sentences

    static func heading(of result: CrossoverResult) -> [String] {
        var lines: [String] = []
        if result.partial { lines.append("PARTIAL  \(result.partialReason ?? "stopped")") }
        for (client, reason) in (result.leftOut ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("omitted from both arms: \(client), because \(reason)")
        }
        lines.append(sentence(of: result))
        var method =
            "\(result.metric), \(ReportUnits.counted(result.blocks, "pair")) of runs of "
            + "\(ReportUnits.seconds(result.runSeconds)) in each cell"
        if let note = result.metricNote { method += " (\(note))" }
        method += "; "
        method +=
            result.noiseFloor.map {
                "two runs of \(result.a) differ by at most \(ReportUnits.times($0))"
            } ?? "the noise between runs of one arm is unknown, so all cells are undecided"
        lines.append(method + ".")
        let skipped = [
            (result.a, result.cells.compactMap(\.skippedA).max() ?? 0),
            (result.b, result.cells.compactMap(\.skippedB).max() ?? 0),
        ].filter { $0.1 > 0.01 }
        if !skipped.isEmpty, !result.higherIsBetter {
            let shares = skipped.map { "\($0.0) up to \(ReportUnits.percent($0.1))" }
            lines.append(
                "Skipped accesses have no latency, so an arm that skips accesses appears faster "
                    + "than it is: " + shares.joined(separator: ", ") + "."
            )
        }
        return lines
    }

    static func sentence(of result: CrossoverResult) -> String {
        let cells = result.cells
        let better = cells.filter { $0.verdict == .better }
        let worse = cells.filter { $0.verdict == .worse }
        let undecidedCount = cells.count - better.count - worse.count
        func best(_ cells: [CrossoverResult.Cell], _ flip: Bool) -> String {
            let ranked = cells.compactMap { cell in
                cell.advantage(higherIsBetter: result.higherIsBetter).map {
                    (cell, flip ? 1 / $0 : $0)
                }
            }
            guard let (cell, ratio) = ranked.max(by: { $0.1 < $1.1 }) else { return "" }
            return ", by up to \(ReportUnits.times(ratio)) (\(coordinates(of: cell, in: result)))"
        }
        var text = "\(result.scenario): \(result.b) beats \(result.a) in "
        text += "\(better.count) of \(cells.count) cells" + best(better, false)
        text += "; \(result.a) beats \(result.b) in \(worse.count)" + best(worse, true)
        return text + "; in \(undecidedCount) the difference is within the noise or undecided."
    }

    private static func coordinates(
        of cell: CrossoverResult.Cell,
        in result: CrossoverResult
    ) -> String {
        result.sweeps.map { "\($0.variable.name) \(cell.values[$0.variable.name] ?? "?")" }
            .joined(separator: ", ")
    }

    static func legend(of result: CrossoverResult) -> [String] {
        [
            "+ \(result.b) is better by this factor; - \(result.a) is better; = the same except "
                + "for noise; ~ within the noise or undecided; ! the generator was the bottleneck; "
                + "? not measured",
            "Below each factor: its 95% interval. Cells are not corrected for multiple tests: "
                + "one in twenty may show a difference by chance.",
        ]
    }

    /// Returns the commands that run the corner cells separately.
    static func corners(of result: CrossoverResult) -> [String] {
        let last = result.sweeps.map { $0.values.count - 1 }
        let corners = result.cells.filter { cell in
            zip(cell.indices, last).allSatisfy { $0 == 0 || $0 == $1 }
        }
        guard !corners.isEmpty else { return [] }
        let command = result.command ?? "poolgauge run \(result.scenario)"
        let run = "\(command) --arm \(result.a) --arm \(result.b)"
        return ["", "To run one of the corner cells:"]
            + corners.map { "  \(run) \($0.options.joined(separator: " "))" }
    }

    // MARK: Map

    /// Returns the lines of a page, with two lines for each row: labels and intervals.
    private static func map(
        _ page: CrossoverGrid.Page,
        _ grid: CrossoverGrid,
        _ result: CrossoverResult,
        _ style: Style
    ) -> [String] {
        let times = style.isUTF8 ? "×" : "x"
        let higherIsBetter = result.higherIsBetter
        let marks = page.rows.map { row in
            row.map { $0?.mark(higherIsBetter: higherIsBetter, times: times) ?? "?" }
        }
        let ranges = page.rows.map { row in
            row.map { $0?.range(higherIsBetter: higherIsBetter) ?? "" }
        }
        let columns = grid.columns.values
        let width =
            ((marks + ranges).joined().map(\.count) + columns.map(\.count)).max().map { $0 + 2 }
            ?? 8
        let labels = grid.rows?.values ?? [""]
        let rowName = grid.rows?.variable.name ?? ""
        let margin = (labels.map(\.count) + [rowName.count]).max() ?? 0
        var lines = [
            leftAligned(rowName, margin) + "  \(grid.columns.variable.name)",
            leftAligned("", margin) + "  "
                + columns.map { centered($0, width) }.joined(separator: " "),
        ]
        for (index, row) in page.rows.enumerated() {
            for (part, texts) in [marks[index], ranges[index]].enumerated() {
                let cells = zip(row, texts).map { cell, text in
                    paint(centered(text, width), cell, higherIsBetter, style)
                }
                lines.append(
                    leftAligned(part == 0 ? labels[index] : "", margin) + "  "
                        + cells.joined(separator: " ")
                )
            }
            if index < page.rows.count - 1 { lines.append("") }
        }
        return lines.map(trimmed)
    }

    private static func paint(
        _ text: String,
        _ cell: CrossoverResult.Cell?,
        _ higherIsBetter: Bool,
        _ style: Style
    ) -> String {
        guard style.hasColor, let cell else { return text }
        let shade = CrossoverShade(cell, higherIsBetter: higherIsBetter)
        // xterm-256 colors. Color-blind readers can distinguish blue from orange.
        let blue = [153, 111, 69, 26]
        let orange = [223, 215, 208, 166]
        switch shade.side {
        case .neither: return "\u{1B}[2m\(text)\u{1B}[0m"
        case .b, .a:
            let colors = shade.side == .b ? blue : orange
            let ink = shade.strength == 4 ? 231 : 16
            return "\u{1B}[38;5;\(ink);48;5;\(colors[shade.strength - 1])m\(text)\u{1B}[0m"
        }
    }

    private static func markdownTable(
        _ page: CrossoverGrid.Page,
        _ grid: CrossoverGrid,
        _ result: CrossoverResult
    ) -> [String] {
        let corner =
            [grid.rows?.variable.name, grid.columns.variable.name].compactMap { $0 }
            .joined(separator: " \\ ")
        let higherIsBetter = result.higherIsBetter
        let rows = zip(grid.rows?.values ?? [""], page.rows).map { label, row in
            [label]
                + row.map { cell in
                    guard let cell else { return "?" }
                    return cell.mark(higherIsBetter: higherIsBetter, times: "×") + " ("
                        + cell.range(higherIsBetter: higherIsBetter) + ")"
                }
        }
        return TextTable([corner] + grid.columns.values, rows).markdown()
    }

    // MARK: Text

    private static func leftAligned(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func centered(_ text: String, _ width: Int) -> String {
        let space = max(0, width - text.count)
        return String(repeating: " ", count: space / 2) + text
            + String(repeating: " ", count: space - space / 2)
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    private static func ascii(_ text: String) -> String {
        let known: [Character: String] = [
            "×": "x", "–": "-", "µ": "u", "≥": ">=", "…": "...", "’": "'",
        ]
        return text.reduce(into: "") { result, character in
            result += known[character] ?? (character.isASCII ? String(character) : "?")
        }
    }
}
