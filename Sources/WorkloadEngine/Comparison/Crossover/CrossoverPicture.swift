/// A type that draws a crossover map as an SVG image that adapts to light and dark themes.
package enum CrossoverPicture {
    private static let cellWidth = 96
    private static let cellHeight = 52
    private static let margin = 24
    private static let leftInset = 110
    private static let headerHeight = 118
    private static let pageHeaderHeight = 62

    /// Returns the SVG image.
    package static func svg(of result: CrossoverResult) -> String {
        guard let grid = CrossoverGrid(result) else { return "" }
        let columns = grid.columns.values.count
        let rows = grid.rows?.values.count ?? 1
        let width = max(leftInset + columns * cellWidth + margin, 640)
        let pageHeight = pageHeaderHeight + rows * cellHeight + 20
        let facts =
            ArmSettings.lines(of: result.settings)
            + TextReport.environment(result.environment, seed: result.seed)
        let notes = facts.flatMap { wrapped($0, width: width - 2 * margin) }
        let legendTop = headerHeight + grid.pages.count * pageHeight + 20
        let height = legendTop + 64 + notes.count * 17
        let title = "\(result.scenario): where \(result.b) beats \(result.a)"
        let summary = CrossoverReport.sentence(of: result)
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
            width="\(width)" height="\(height)" role="img" aria-labelledby="title summary">
            <title id="title">\(escaped(title))</title>
            <desc id="summary">\(escaped(summary))</desc>
            \(styles)
            <rect class="page" width="\(width)" height="\(height)"/>
            """
        ]
        parts.append(text(title, margin, 30, "title"))
        for (index, line) in wrapped(summary, width: width - 2 * margin).prefix(3).enumerated() {
            parts.append(text(line, margin, 52 + index * 17, "note"))
        }
        parts.append(text("\(result.metric)", margin, 110, "note"))
        for (index, page) in grid.pages.enumerated() {
            parts += draw(page, grid, result, at: headerHeight + index * pageHeight)
        }
        parts += legend(of: result, at: legendTop, width: width)
        for (index, line) in notes.enumerated() {
            parts.append(text(line, margin, legendTop + 57 + index * 17, "note"))
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// The style sheet, with orange for arm `a`, blue for arm `b`, and a pattern for cells in which
    /// neither arm is better.
    ///
    /// Each cell also has a sign that identifies the better arm without color.
    private static let styles = """
        <style>
          text { font: 13px system-ui, sans-serif; fill: #1a1a1a; }
          .title { font-size: 17px; font-weight: 600; }
          .note { font-size: 12px; fill: #444; }
          .mark { font-size: 16px; font-weight: 600; text-anchor: middle; }
          .range { font-size: 11px; text-anchor: middle; }
          .label { text-anchor: middle; }
          .row { text-anchor: end; }
          .page { fill: #fff; }
          .cell { stroke: #fff; stroke-width: 2; }
          .b1 { fill: #cfe3fa; } .b2 { fill: #94c2f2; } .b3 { fill: #559be3; } .b4 { fill: #1b5fae; }
          .a1 { fill: #fbe2c4; } .a2 { fill: #f7c384; } .a3 { fill: #f09c3c; } .a4 { fill: #b85c00; }
          .noise { fill: url(#noise); }
          .on { fill: #111; } .on4 { fill: #fff; }
          .hatch { stroke: #bbb; } .ground { fill: #f0f0f0; }
          @media (prefers-color-scheme: dark) {
            text { fill: #eee; } .note { fill: #bbb; } .page { fill: #16181c; }
            .cell { stroke: #16181c; } .hatch { stroke: #555; } .ground { fill: #26292f; }
            .mark.on, .range.on { fill: #111; } .mark.plain, .range.plain { fill: #eee; }
          }
        </style>
        <defs><pattern id="noise" width="8" height="8" patternUnits="userSpaceOnUse" \
        patternTransform="rotate(45)"><rect class="ground" width="8" height="8"/>\
        <line class="hatch" x1="0" y1="0" x2="0" y2="8"/></pattern></defs>
        """

    private static func draw(
        _ page: CrossoverGrid.Page,
        _ grid: CrossoverGrid,
        _ result: CrossoverResult,
        at top: Int
    ) -> [String] {
        var parts: [String] = []
        if let title = page.title { parts.append(text(title, margin, top + 16, "title")) }
        parts.append(text(grid.columns.variable.name, leftInset, top + 34, "note"))
        for (index, value) in grid.columns.values.enumerated() {
            let x = leftInset + index * cellWidth + cellWidth / 2
            parts.append(text(value, x, top + 54, "label"))
        }
        if let rows = grid.rows {
            parts.append(text(rows.variable.name, leftInset - 12, top + 34, "note row"))
        }
        let higherIsBetter = result.higherIsBetter
        for (row, cells) in page.rows.enumerated() {
            let y = top + pageHeaderHeight + row * cellHeight
            if let rows = grid.rows {
                parts.append(text(rows.values[row], leftInset - 12, y + cellHeight / 2 + 4, "row"))
            }
            for (column, cell) in cells.enumerated() {
                let x = leftInset + column * cellWidth
                let shade = cell.map { CrossoverShade($0, higherIsBetter: higherIsBetter) }
                let fill = shade.map(className) ?? "noise"
                let textClass = fill == "noise" ? "plain" : shade?.strength == 4 ? "on4" : "on"
                let mark = cell?.mark(higherIsBetter: higherIsBetter, times: "×") ?? "?"
                let range = cell?.range(higherIsBetter: higherIsBetter) ?? ""
                parts.append(
                    """
                    <g><title>\(escaped(tooltip(cell, result)))</title>\
                    <rect class="cell \(fill)" x="\(x)" y="\(y)" width="\(cellWidth)" \
                    height="\(cellHeight)" rx="4"/>\
                    \(text(mark, x + cellWidth / 2, y + 24, "mark \(textClass)"))\
                    \(text(range, x + cellWidth / 2, y + 41, "range \(textClass)"))</g>
                    """
                )
            }
        }
        return parts
    }

    private static func className(_ shade: CrossoverShade) -> String {
        switch shade.side {
        case .neither: "noise"
        case .b: "b\(shade.strength)"
        case .a: "a\(shade.strength)"
        }
    }

    private static func tooltip(
        _ cell: CrossoverResult.Cell?,
        _ result: CrossoverResult
    ) -> String {
        guard let cell else { return "not measured" }
        let coordinates = cell.values.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        func value(_ number: Double?) -> String {
            guard let number else { return "–" }
            return result.higherIsBetter
                ? ReportUnits.rate(number) : ReportUnits.time(UInt64(max(0, number)))
        }
        return coordinates.joined(separator: ", ") + ": \(result.a) \(value(cell.a)), "
            + "\(result.b) \(value(cell.b)), \(ReportUnits.counted(cell.pairs, "pair")), "
            + cell.verdict.rawValue
    }

    private static func legend(
        of result: CrossoverResult,
        at top: Int,
        width: Int
    ) -> [String] {
        let entries = [
            ("b3", "+ \(result.b) is better"), ("a3", "- \(result.a) is better"),
            ("noise", "= the same, ~ within the noise"),
        ]
        var parts: [String] = []
        var x = margin
        for (fill, label) in entries {
            parts.append(
                "<rect class=\"cell \(fill)\" x=\"\(x)\" y=\"\(top)\" width=\"22\" height=\"16\"/>"
            )
            parts.append(text(label, x + 28, top + 13, "note"))
            x += 44 + label.count * 7
        }
        let floor = result.noiseFloor.map { ", noise floor \(ReportUnits.times($0))" } ?? ""
        let note =
            "Below each ratio: its 95% interval. "
            + "\(ReportUnits.counted(result.blocks, "pair")) of runs of "
            + "\(ReportUnits.seconds(result.runSeconds)) in each cell\(floor)."
        parts.append(text(note, margin, top + 40, "note"))
        return parts
    }

    // MARK: Text

    private static func text(_ text: String, _ x: Int, _ y: Int, _ style: String) -> String {
        "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(escaped(text))</text>"
    }

    /// Splits text into lines, based on the approximate width of a 12-pixel font.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        let limit = max(20, width * 10 / 64)
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count + 1 <= limit {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}"..."\u{FFFF}":
                result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
