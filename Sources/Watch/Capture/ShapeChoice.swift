import Text

/// The transaction shapes that a scenario models.
struct ShapeChoice {
    private static let shapeLimit = 40
    /// The share of transactions that the chosen shapes cover, unless that would require too many
    /// shapes.
    private static let coverage = 0.995
    /// The share of the time, of the time with a write lock, or of the failures from which a shape
    /// is modeled however rare it is.
    static let notableShare = 0.01

    /// The numbers of the chosen shapes, in order.
    let modeled: [Int]
    /// The reasons for omitting transactions, each with the number of omitted transactions.
    let omissions: [String]

    init(_ analysis: CaptureAnalysis) {
        var omissions: [String] = []
        var repeatable: [Int] = []
        var obstacles: [String: Int] = [:]
        for (number, shape) in analysis.shapes.enumerated() {
            if let problem = Self.obstacle(of: shape) {
                obstacles[problem, default: 0] += shape.count
            } else {
                repeatable.append(number)
            }
        }
        for (problem, count) in obstacles.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            omissions.append("\(HumanUnits.exact(count, "transaction")): \(problem)")
        }
        let shares = Self.shares(of: repeatable.map { analysis.shapes[$0] })
        let weights = Dictionary(uniqueKeysWithValues: zip(repeatable, shares))
        let sorted = repeatable.sorted { first, second in
            (weights[second] ?? 0, analysis.shapes[second].count)
                < (weights[first] ?? 0, analysis.shapes[first].count)
        }
        let total = sorted.reduce(0) { $0 + analysis.shapes[$1].count }
        var covered = 0
        var chosen: [Int] = []
        for number in sorted {
            let isCovered =
                chosen.count >= 10 && Double(covered) >= Self.coverage * Double(total)
                && weights[number] ?? 0 < Self.notableShare
            if chosen.count >= Self.shapeLimit || isCovered { break }
            chosen.append(number)
            covered += analysis.shapes[number].count
        }
        let omittedCount = sorted.count - chosen.count
        if omittedCount > 0 {
            let share = Double(total - covered) / Double(max(1, total))
            omissions.append(
                HumanUnits.exact(omittedCount, "rare kind") + " of transactions "
                    + "(\(ReportUnits.compactShare(share)) of all transactions)"
            )
        }
        modeled = chosen.sorted()
        self.omissions = omissions
    }

    /// Returns the largest of each shape's shares of the time, of the time with a write lock, and of
    /// the failures.
    private static func shares(of shapes: [ShapeStatistics]) -> [Double] {
        let totals = measures.map { measure in shapes.reduce(0) { $0 + measure($1) } }
        return shapes.map { shape in
            zip(measures, totals).reduce(0) { largest, pair in
                max(largest, pair.1 > 0 ? pair.0(shape) / pair.1 : 0)
            }
        }
    }

    /// Returns whether a shape takes less than 1% of the time, of the time with a write lock, and of
    /// the failures.
    static func isRare(_ shape: ShapeStatistics, of analysis: CaptureAnalysis) -> Bool {
        measures.allSatisfy { measure in
            let total = analysis.shapes.reduce(0) { $0 + measure($1) }
            return measure(shape) < notableShare * total || total == 0
        }
    }

    /// The time, the time with a write lock, and the number of failures of a shape.
    private static let measures: [@Sendable (ShapeStatistics) -> Double] = [
        { $0.totalSeconds }, { $0.writeSeconds }, { Double($0.busyCount) },
    ]

    /// Returns the reason that a shape cannot be repeated, or `nil` if it can be.
    private static func obstacle(of shape: ShapeStatistics) -> String? {
        for statement in shape.positions {
            if let obstacle = statement.obstacle { return obstacle }
            if let table = statement.missingTables.first {
                return "the database has no table '\(table)'"
            }
        }
        let failedCount = (shape.outcomes[.busy] ?? 0) + (shape.outcomes[.failed] ?? 0)
        return failedCount == shape.count ? "all failed" : nil
    }
}
