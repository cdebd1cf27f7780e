/// The cells of a crossover map, arranged in pages of rows and columns.
struct CrossoverGrid {
    /// All rows and columns at one value of the third sweep.
    struct Page {
        /// The third sweep's value, such as `hold 20ms`, or `nil` if there is no third sweep.
        var title: String?
        var rows: [[CrossoverResult.Cell?]]
    }

    /// The variable that varies from left to right.
    let columns: CrossoverResult.Axis
    /// The variable that varies from top to bottom, or `nil` for a map with one row.
    let rows: CrossoverResult.Axis?
    let pages: [Page]

    init?(_ result: CrossoverResult) {
        guard let first = result.sweeps.first else { return nil }
        columns = first
        rows = result.sweeps.count > 1 ? result.sweeps[1] : nil
        let third = result.sweeps.count > 2 ? result.sweeps[2] : nil
        var cells: [[Int]: CrossoverResult.Cell] = [:]
        for cell in result.cells { cells[cell.indices] = cell }
        let rowCount = rows?.values.count ?? 1
        let hasRows = rows != nil
        pages = (0..<(third?.values.count ?? 1)).map { page in
            Page(
                title: third.map { "\($0.variable.name) \($0.values[page])" },
                rows: (0..<rowCount).map { row in
                    first.values.indices.map { column in
                        var coordinates = [column]
                        if hasRows { coordinates.append(row) }
                        if third != nil { coordinates.append(page) }
                        return cells[coordinates]
                    }
                }
            )
        }
    }
}

/// The shade of a cell, for text and images.
struct CrossoverShade: Equatable {
    enum Side { case a, b, neither }

    /// The better arm, if the difference exceeds the noise.
    var side: Side
    /// The size of the difference, from 1 to 4, or 0 if neither arm is better.
    var strength: Int

    init(_ cell: CrossoverResult.Cell, higherIsBetter: Bool) {
        guard cell.isDecided, let advantage = cell.advantage(higherIsBetter: higherIsBetter) else {
            self.init(side: .neither, strength: 0)
            return
        }
        let factor = max(advantage, 1 / max(advantage, 1e-9))
        let strength = factor < 1.25 ? 1 : factor < 2 ? 2 : factor < 4 ? 3 : 4
        self.init(side: cell.verdict == .better ? .b : .a, strength: strength)
    }

    private init(side: Side, strength: Int) {
        self.side = side
        self.strength = strength
    }
}

extension CrossoverResult.Cell {
    /// Returns a cell's label, which is a sign followed by the better arm's advantage as a factor.
    ///
    /// `times` is the multiplication sign after the factor.
    func mark(higherIsBetter: Bool, times: String) -> String {
        guard let advantage = advantage(higherIsBetter: higherIsBetter) else { return "?" }
        let number = Self.number(max(advantage, 1 / max(advantage, 1e-9)))
        return switch verdict {
        case .better: "+\(number)\(times)"
        case .worse: "-\(number)\(times)"
        case .same: "=\(Self.number(advantage))\(times)"
        case .inconclusive: "\(isInvalid ? "!" : "~")\(Self.number(advantage))\(times)"
        }
    }

    /// Returns the interval of the factor by which `b` is better, or an empty string if there is no
    /// interval.
    func range(higherIsBetter: Bool) -> String {
        guard let range = advantageRange(higherIsBetter: higherIsBetter) else { return "" }
        return "\(Self.number(range.low))..\(Self.number(range.high))"
    }

    private static func number(_ ratio: Double) -> String {
        let digits = ratio < 9.95 ? (ratio < 0.995 ? 2 : 1) : 0
        let text = String(ratio.rounded(toDigits: digits))
        return text.hasSuffix(".0") && digits == 0 ? String(text.dropLast(2)) : text
    }
}
