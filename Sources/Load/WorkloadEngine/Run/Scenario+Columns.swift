import Foundation
import Scenarios
import Telemetry

extension Scenario {
    /// Returns the scenario with each column reference replaced by the column's range or values.
    ///
    /// - Throws: `RunError` if a column does not exist or contains values that the distribution
    ///   cannot use.
    func resolvingColumns(on target: any WorkloadTarget) throws -> Scenario {
        let columns = variables.filter { $0.value.column != nil }.sorted { $0.key < $1.key }
        guard !columns.isEmpty else { return self }
        var resolved = self
        for (name, variable) in columns {
            guard let column = variable.column else { continue }
            var resolution = ColumnResolution(variable, name: name, column: column)
            resolution.seed = seed
            do {
                try target.perform(.read, as: WorkloadClientName("setup")) {
                    try resolution.read(through: $0)
                }
            } catch let error as RunError {
                throw error
            } catch {
                throw RunError(
                    .scenario,
                    "variable '\(name)' cannot be drawn from \(column.table).\(column.name)",
                    cause: error
                )
            }
            resolved.variables[name] = resolution.variable
        }
        return resolved
    }
}

private struct ColumnResolution {
    /// The maximum number of rows to read for a `choice`.
    ///
    /// With this number, the 95% margin of error of each share is at most 0.8 percentage points.
    private static let sampleSize = 16_384

    var variable: Variable
    var seed: UInt64 = 0
    private let name: String
    private let column: Variable.Column

    init(_ variable: Variable, name: String, column: Variable.Column) {
        self.variable = variable
        self.name = name
        self.column = column
    }

    private var tableSQL: String { Self.quoted(column.table) }
    private var columnSQL: String { Self.quoted(column.name) }

    /// Quotes a name as an SQL identifier (<https://sqlite.org/lang_keywords.html>).
    ///
    /// Brackets are preferred, because SQLite treats an unknown name in double quotes as a
    /// string.
    private static func quoted(_ name: String) -> String {
        name.unicodeScalars.contains("]") ? name.quoted(by: "\"") : "[\(name)]"
    }

    mutating func read(through session: any WorkloadSession) throws {
        if case .choice = variable.distribution {
            try readValues(through: session)
        } else {
            try readRange(through: session)
        }
    }

    private mutating func readRange(through session: any WorkloadSession) throws {
        let row = try session.rows(
            "SELECT min(\(columnSQL)), max(\(columnSQL)) FROM \(tableSQL)",
            []
        )
        let bounds = row.first ?? []
        let isSequential = variable.distribution == .sequential
        switch (bounds.first, bounds.last) {
        case (.integer(let minimum), .integer(let maximum)):
            let limit = Variable.largest
            guard minimum >= -limit, maximum < limit else {
                throw failure("has integers beyond \(limit)")
            }
            variable.minimum = isSequential ? maximum + 1 : minimum
            variable.maximum = isSequential ? limit : maximum
        case (.null, _), (nil, _):
            // No row of an empty table can match, so any range is valid.
            variable.minimum = 1
            variable.maximum = isSequential ? Variable.largest : 1
        default:
            throw failure("has values that are not integers; use 'distribution: choice'")
        }
        let isRanked =
            switch variable.distribution {
            case .zipfian(_, let scramble): !scramble
            case .latest: true
            default: false
            }
        if isRanked, variable.maximum - variable.minimum >= Variable.mostRanks {
            throw failure("spans more than \(Variable.mostRanks) integers")
        }
    }

    private mutating func readValues(through session: any WorkloadSession) throws {
        var counts: [WorkloadValue: Int] = [:]
        for value in try sample(through: session) { counts[value, default: 0] += 1 }
        // Describing a value takes microseconds, so describe each value once, not in every
        // comparison.
        let descriptions = counts.map { (key: $0.key, value: $0.value, text: "\($0.key)") }
        let values = descriptions.sorted { ($1.value, $0.text) < ($0.value, $1.text) }
        guard let theta = column.theta else {
            variable.distribution = .choice(
                values.map(\.key),
                weights: values.map { Double($0.value) }
            )
            return
        }
        // Choose the popular values at random, but consistently across runs.
        var random = RandomStream(seed: seed, stream: "popular/\(name)")
        var shuffled = values.map(\.key)
        for index in shuffled.indices.dropFirst() {
            shuffled.swapAt(index, Int(random.next(below: UInt64(index + 1))))
        }
        variable.distribution = .choice(
            shuffled,
            weights: shuffled.indices.map { pow(Double($0 + 1), -theta) }
        )
    }

    /// Returns the column's values in a sample of rows, which are chosen at random if the table has
    /// rowids.
    private func sample(through session: any WorkloadSession) throws -> [WorkloadValue] {
        let bounds: [WorkloadValue]
        do {
            bounds =
                try session.rows("SELECT min(rowid), max(rowid) FROM \(tableSQL)", []).first
                ?? []
        } catch {
            // The table is a view or a `WITHOUT ROWID` table.
            return try session.rows(
                "SELECT \(columnSQL) FROM \(tableSQL) LIMIT \(Self.sampleSize)",
                []
            ).compactMap(\.first)
        }
        guard case (.integer(let first)?, .integer(let last)?) = (bounds.first, bounds.last) else {
            return []
        }
        let span = last.subtractingReportingOverflow(first)
        if !span.overflow, span.partialValue < Self.sampleSize {
            return try session.rows("SELECT \(columnSQL) FROM \(tableSQL)", []).compactMap(
                \.first
            )
        }
        var random = RandomStream(seed: seed, stream: "column/\(name)")
        let rowids = UniformDistribution(first...last)
        let sql = "SELECT \(columnSQL) FROM \(tableSQL) WHERE rowid >= ? ORDER BY rowid LIMIT 1"
        return try (0..<Self.sampleSize).compactMap { _ in
            try session.rows(sql, [.integer(rowids.next(using: &random))]).first?.first
        }
    }

    private func failure(_ problem: String) -> RunError {
        RunError(
            .scenario,
            "variable '\(name)' cannot be drawn from \(column.table).\(column.name), which "
                + problem
        )
    }
}
