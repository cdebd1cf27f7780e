import Text

/// A table that can be formatted as aligned text or as Markdown.
///
/// In aligned text, the first column is left-aligned and the other columns are right-aligned.
package struct TextTable {
    private var rows: [[String]]

    package init(_ titles: [String], _ rows: [[String]] = []) {
        self.rows = [titles] + rows
    }

    package mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    /// Returns the lines of a Markdown table.
    ///
    /// - Parameters:
    ///   - alignments: The alignments of the first columns, such as `:--`.
    ///   - otherAlignment: The alignment of the other columns.
    ///   - escaped: A function that escapes the text of a cell.
    /// - Returns: The lines.
    func markdown(
        _ alignments: [String] = [],
        _ otherAlignment: String = "---",
        _ escaped: (String) -> String = Escaping.markdown
    ) -> [String] {
        let count = rows.first?.count ?? 0
        let rest = [String](repeating: otherAlignment, count: max(0, count - alignments.count))
        let lines = rows.map { "| " + $0.map(escaped).joined(separator: " | ") + " |" }
        return lines.prefix(1) + ["|" + (alignments + rest).joined(separator: "|") + "|"]
            + lines.dropFirst()
    }

    /// Returns the lines of aligned text, with two spaces between columns and no trailing spaces.
    package func lines(indent: String = "") -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = indent
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                if column == 0 {
                    line += cell + padding
                } else {
                    line += "  " + padding + cell
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
