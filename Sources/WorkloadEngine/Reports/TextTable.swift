/// A text table with a left-aligned first column and right-aligned other columns.
struct TextTable {
    private var rows: [[String]]

    init(_ titles: [String]) {
        rows = [titles]
    }

    mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    /// Returns the lines, with two spaces between columns and no trailing spaces.
    func lines(indent: String = "") -> [String] {
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
