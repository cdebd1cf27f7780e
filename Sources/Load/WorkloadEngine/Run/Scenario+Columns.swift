import Foundation
import Scenarios
import Telemetry

extension Scenario {
    /// Returns the scenario with each column reference replaced by the column's range or values.
    ///
    /// - Throws: `RunError` if a column does not exist or contains values that the distribution
    ///   cannot use.
    func resolvingColumns(on target: any WorkloadTarget) throws -> Scenario {
        let columns = variables.filter { $0.value.column != nil && $0.value.column?.sameRow == nil }
            .sorted { $0.key < $1.key }
        guard !columns.isEmpty else { return self }
        var resolved = self
        for (name, variable) in columns {
            guard let column = variable.column else { continue }
            let partners = variables.compactMap { partner in
                partner.value.column?.sameRow == name
                    ? partner.value.column.map { (key: partner.key, column: $0.name) } : nil
            }.sorted { $0.key < $1.key }
            var resolution = ColumnResolution(
                variable,
                name: name,
                column: column,
                partners: partners.map(\.column),
                seed: seed
            )
            do {
                try target.perform(.read, as: WorkloadClientName("setup")) {
                    try resolution.read(through: $0)
                }
            } catch let error as RunError {
                throw error
            } catch {
                let names = ([column.name] + partners.map(\.column)).joined(separator: ", ")
                throw RunError(
                    .scenario,
                    "variable '\(name)' cannot be drawn from \(column.table).\(names)",
                    cause: error
                )
            }
            resolved.variables[name] = resolution.variable
            for (partner, values) in zip(partners, resolution.partnerValues) {
                resolved.variables[partner.key]?.distribution = .choice(values, weights: [])
            }
        }
        return resolved
    }
}

private struct ColumnResolution {
    /// The maximum number of rows to read for a `choice`.
    ///
    /// With this number, the 95% margin of error of each share is at most 0.8 percentage points.
    private static let sampleSize = 16_384
    /// The number of rows up to which a table is scanned for distinct values.
    ///
    /// In a random sample of rows, frequent values are more likely than rare ones.
    private static let scannedRows: Int64 = 1 << 19

    private(set) var variable: Variable
    /// For each partner, its values in the rows that the variable draws.
    private(set) var partnerValues: [[WorkloadValue]] = []
    private let seed: UInt64
    private let name: String
    private let column: Variable.Column
    /// The columns of the variables that take their values from the same row.
    private let partners: [String]

    init(
        _ variable: Variable,
        name: String,
        column: Variable.Column,
        partners: [String],
        seed: UInt64
    ) {
        self.variable = variable
        self.name = name
        self.column = column
        self.partners = partners
        self.seed = seed
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
        var rows = try sample(through: session)
        if column.theta == 0 {
            var seen: Set<[WorkloadValue]> = []
            rows = rows.filter { seen.insert($0).inserted }
        }
        var counts: [WorkloadValue: Int] = [:]
        for row in rows { counts[row[0], default: 0] += 1 }
        let weights = weights(of: counts)
        if partners.isEmpty {
            variable.distribution = .choice(
                weights.map(\.value),
                weights: weights.map(\.weight)
            )
            return
        }
        if column.theta == 0 {
            variable.distribution = .choice(rows.map { $0[0] }, weights: [])
            partnerValues = partners.indices.map { index in rows.map { $0[index + 1] } }
            return
        }
        // The rows of a value share its weight.
        let shares = weights.reduce(into: [WorkloadValue: Double]()) { shares, entry in
            shares[entry.value] = entry.weight / Double(counts[entry.value] ?? 1)
        }
        variable.distribution = .choice(
            rows.map { $0[0] },
            weights: rows.map { shares[$0[0]] ?? 0 }
        )
        partnerValues = partners.indices.map { index in rows.map { $0[index + 1] } }
    }

    /// Returns the weights of the values, given their frequencies.
    private func weights(
        of counts: [WorkloadValue: Int]
    ) -> [(value: WorkloadValue, weight: Double)] {
        // Describing a value takes microseconds, so describe each value once, not in every
        // comparison.
        let descriptions = counts.map { (key: $0.key, value: $0.value, text: "\($0.key)") }
        let values = descriptions.sorted { ($1.value, $0.text) < ($0.value, $1.text) }
        guard let theta = column.theta else {
            return values.map { ($0.key, Double($0.value)) }
        }
        // Choose the popular values at random, but consistently across runs.
        var random = RandomStream(seed: seed, stream: "popular/\(name)")
        var shuffled = values.map(\.key)
        Self.shuffle(&shuffled, using: &random)
        return shuffled.enumerated().map { ($1, pow(Double($0 + 1), -theta)) }
    }

    private static func shuffle<Element>(
        _ elements: inout [Element],
        using random: inout RandomStream
    ) {
        for index in elements.indices.dropFirst() {
            elements.swapAt(index, Int(random.next(below: UInt64(index + 1))))
        }
    }

    /// Returns the values of the column and of its partners in a sample of rows, which are chosen at
    /// random if the table has rowids.
    ///
    /// The order does not depend on indexes. If the popularity of the values does not depend on the
    /// rows, the rows differ.
    private func sample(through session: any WorkloadSession) throws -> [[WorkloadValue]] {
        let columns = ([column.name] + partners).map(Self.quoted).joined(separator: ", ")
        func rows(_ sql: String, _ values: [WorkloadValue] = []) throws -> [[WorkloadValue]] {
            try session.rows(sql, values).filter { $0.count == partners.count + 1 }
        }
        var random = RandomStream(seed: seed, stream: "column/\(name)")
        let bounds: [WorkloadValue]
        do {
            bounds =
                try session.rows("SELECT min(rowid), max(rowid) FROM \(tableSQL)", []).first
                ?? []
        } catch {
            // The table is a view or a `WITHOUT ROWID` table.
            let kind = column.theta == 0 ? "DISTINCT " : ""
            return try rows("SELECT \(kind)\(columns) FROM \(tableSQL) LIMIT \(Self.sampleSize)")
        }
        guard case (.integer(let first)?, .integer(let last)?) = (bounds.first, bounds.last) else {
            return []
        }
        let span = last.subtractingReportingOverflow(first)
        if column.theta == 0, !span.overflow, span.partialValue < Self.scannedRows {
            // The values may be large, so read only those that are chosen.
            var all = try session.rows(
                "SELECT min(rowid) FROM \(tableSQL) GROUP BY \(columns) ORDER BY 1",
                []
            ).compactMap(\.first)
            Self.shuffle(&all, using: &random)
            return try all.prefix(Self.sampleSize).compactMap {
                try rows("SELECT \(columns) FROM \(tableSQL) WHERE rowid = ?", [$0]).first
            }
        }
        if !span.overflow, span.partialValue < Self.sampleSize {
            return try rows("SELECT \(columns) FROM \(tableSQL) ORDER BY rowid")
        }
        let rowids = UniformDistribution(first...last)
        let sql = "SELECT \(columns) FROM \(tableSQL) WHERE rowid >= ? ORDER BY rowid LIMIT 1"
        return try (0..<Self.sampleSize).compactMap { _ in
            try rows(sql, [.integer(rowids.next(using: &random))]).first
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
