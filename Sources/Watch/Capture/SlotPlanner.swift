import Scenarios
import Telemetry
import Text

/// How the values of an operation are drawn if the capture does not contain them.
struct ValueModel: Hashable {
    /// Whether the values of LIMIT are drawn from the observed numbers of rows.
    var drawsLimits = false
    /// Whether all values of a column are equally likely, however many rows contain them.
    var drawsDistinctValues = false
    /// Which values that one row must contain are drawn from one row.
    ///
    /// A program can ask for rows that do not exist, most of all with a literal, which limits the rows.
    var joins = Joins.all

    enum Joins { case all, parameters, none }

    /// The number of rows that contain a word to search for, or `nil` for frequent and rare words.
    var wordFrequency: Int?
    /// Whether searches are for rows with two words.
    var searchesPairs = false
}

/// The values of an operation that a ``ValueModel`` can change.
struct OperationValues: Sendable {
    /// Whether a statement has a LIMIT whose value is not known.
    var hasLimit = false
    /// Whether several values come from one row, and whether a literal is one of them.
    var joins = false
    var joinsLiteral = false
    /// Whether values are drawn from the rows of a column.
    var drawsRows = false
    /// The mean number of rows that contain one of the words to search for, or `nil` without words.
    var wordRows: Double?
    /// Whether pairs of words are known for a search.
    var hasWordPairs = false
}

/// The replacement for a slot in the scenario's SQL.
enum SlotValue: Equatable {
    /// SQL text: an unchanged literal, `NULL`, or an expression.
    case text(String)
    case variable(ColumnVariable)
    /// The variable for the range's lower bound, plus a span.
    case span(Int64)
}

struct SlotPlanner {
    let schema: CaptureSchema
    let options: CaptureOptions
    var model = ValueModel()

    /// Returns the alias of the table in one of whose rows the slot's value is, or `nil` for none.
    func row(of slot: StatementSlot) -> String? {
        switch (slot.source, model.joins) {
        case (_, .none), (.literal, .parameters): nil
        case (.literal, .all): options.showsLiterals ? nil : slot.requiredRow
        case (.parameter, _): slot.requiredRow
        }
    }

    /// Returns the slots of a statement that come from one row together with a value of another column.
    func joinedSlots(of statement: NormalizedStatement) -> [Int] {
        let rows = statement.slots.map { row(of: $0) }
        var columns: [String: Set<Variable.Column>] = [:]
        for (row, slot) in zip(rows, statement.slots) {
            if let row, let column = slot.column { columns[row, default: []].insert(column) }
        }
        return rows.indices.filter { index in
            rows[index].map { columns[$0]?.count ?? 0 > 1 } ?? false
        }
    }

    /// Returns the replacement for a slot and a description of anything that cannot be modeled.
    func plan(
        _ slot: StatementSlot,
        in statement: NormalizedStatement,
        at place: SlotGroups.Place,
        of shape: ShapeStatistics
    ) -> (value: SlotValue, problem: String?) {
        let sample = shape.sample(of: slot, at: place)
        if options.showsLiterals, case .literal(_, let text) = slot.source,
            sample.onlyValue != nil, sample.count >= options.minimumCount
        {
            return (.text(text), nil)
        }
        switch slot.role {
        case .limit: return limit(sample, rows: shape.rows[place.position], otherwise: 20)
        case .offset: return limit(sample, rows: SampledNumbers(), otherwise: 0)
        case .insert(let row):
            if let column = slot.column, let schemaColumn = schema.column(column),
                schemaColumn.isUnique, !statement.toleratesConflicts
            {
                return (fresh(column, schemaColumn: schemaColumn, row: row, of: statement), nil)
            }
        case .set:
            if let column = slot.column, let schemaColumn = schema.column(column),
                schemaColumn.isUnique
            {
                // Keep the key, because programs that save whole rows do not change it, and a new
                // value could conflict.
                return (.text(Self.quotedName(schemaColumn.name)), nil)
            }
        case .rangeEnd:
            let (previous, next) = (place.slot - 1, place.slot + 1)
            // The span follows the start of the range, which must be the previous value.
            guard previous >= 0, statement.slots[previous].role == .rangeStart,
                statement.slots[previous].column == slot.column
            else { break }
            if next < statement.slots.count, statement.slots[next].role == .rangeWidth {
                return (.span(0), nil)
            }
            if let span = span(of: slot, at: place, of: shape) { return (.span(span), nil) }
        case .rangeWidth:
            if options.showsValues, let fitted = fitted(slot, sample: sample) {
                return (fitted, nil)
            }
            let length = rangeLength(of: slot, at: place, of: shape)
            guard let length else { return (.text("1"), Self.lengthProblem(slot.column)) }
            return (.text(String(length)), nil)
        case .comparison, .rangeStart, .list, .change, .other: break
        }
        if options.showsValues, let fitted = fitted(slot, sample: sample) { return (fitted, nil) }
        if let word = options.words.variable(
            at: place.slot,
            of: statement,
            model: model
        ) {
            return (.variable(word), nil)
        }
        if slot.role == .change { return constant(sample, column: slot.column) }
        guard let column = slot.column else { return constant(sample, column: nil) }
        if slot.role == .set, let schemaColumn = schema.column(column), schemaColumn.isInteger,
            !schemaColumn.isForeignKey
        {
            return (.variable(.changed(column, schemaColumn: schemaColumn)), nil)
        }
        return drawn(column, role: slot.role)
    }

    /// Returns the values that a model can change.
    func values(of shape: ShapeStatistics) -> OperationValues {
        var values = OperationValues()
        for statement in shape.positions {
            for (index, slot) in statement.slots.enumerated() {
                // An insert can have tens of thousands of slots, which search for nothing.
                if case .insert = slot.role { continue }
                if slot.role == .limit { values.hasLimit = true }
                // Values that are shown are fitted to the observed ones.
                guard !options.showsValues else { continue }
                if case .list = slot.role {
                    values.drawsRows = true
                    continue
                }
                if let rows = options.words.meanRows(at: index, of: statement, model: model) {
                    values.wordRows = rows
                    values.hasWordPairs =
                        values.hasWordPairs || options.words.hasPairs(at: index, of: statement)
                }
                if slot.requiredRow != nil, let column = slot.column,
                    !ColumnVariable.isKey(column, in: schema)
                {
                    values.drawsRows = true
                }
            }
            let joined = joinedSlots(of: statement)
            values.joins = values.joins || !joined.isEmpty
            values.joinsLiteral =
                values.joinsLiteral
                || joined.contains {
                    if case .literal = statement.slots[$0].source { true } else { false }
                }
        }
        return values
    }

    // MARK: Without values

    private func drawn(
        _ column: Variable.Column,
        role: StatementSlot.Role
    ) -> (SlotValue, String?) {
        let problem = role == .rangeEnd ? Self.lengthProblem(column) : nil
        return (
            .variable(
                .drawn(
                    from: column,
                    in: schema,
                    isDistinct: model.drawsDistinctValues && role.findsRows
                )
            ),
            problem
        )
    }

    private static func lengthProblem(_ column: Variable.Column?) -> String {
        "the length of the range" + (column.map { " over \($0.table).\($0.name)" } ?? "")
    }

    private func fresh(
        _ column: Variable.Column,
        schemaColumn: CaptureSchema.Column,
        row: Int,
        of statement: NormalizedStatement
    ) -> SlotValue {
        let hasSeveralRows = statement.slots.contains {
            if case .insert(let rowIndex) = $0.role { rowIndex > 0 } else { false }
        }
        if hasSeveralRows {
            if schemaColumn.isRowID { return .text("NULL") }
            return .text(schemaColumn.isInteger ? "abs(random())" : "lower(hex(randomblob(16)))")
        }
        return .variable(.fresh(for: column, in: schema))
    }

    /// The number of values from which a LIMIT is drawn.
    private static let limitCount = 20

    private func limit(
        _ sample: ValueSample,
        rows: SampledNumbers,
        otherwise: Int
    ) -> (SlotValue, String?) {
        if options.showsValues || options.showsLiterals,
            let (value, count) = sample.counts.max(by: { $0.value < $1.value }),
            count >= options.minimumCount, case .integer(let number) = value
        {
            return (.text(String(number)), nil)
        }
        if model.drawsLimits, rows.maximum >= 1, rows.variation > 0 {
            let quantiles = (0..<Self.limitCount).map { index in
                Int64(rows.quantile((Double(index) + 0.5) / Double(Self.limitCount)))
            }
            return (
                .variable(
                    ColumnVariable(
                        base: "limit",
                        variable: Variable(
                            distribution: .choice(quantiles.map(WorkloadValue.integer), weights: [])
                        ),
                        comment: "quantiles of the observed numbers of rows"
                    )
                ), nil
            )
        }
        if rows.count > 0, rows.maximum >= 1 { return (.text(String(Int(rows.maximum))), nil) }
        return (.text(String(otherwise)), "the value of a LIMIT or OFFSET")
    }

    /// Returns a substitute for a value that cannot be drawn from a column.
    private func constant(
        _ sample: ValueSample,
        column: Variable.Column?
    ) -> (SlotValue, String?) {
        let isText = sample.lengths.count > 0
        if sample.lengths.mean >= 1 {
            let length = Int(sample.lengths.mean.rounded())
            return (
                .variable(
                    ColumnVariable(
                        base: "text_\(length)",
                        variable: Variable(distribution: .text(length: .fixed(length))),
                        comment: "with the mean length of the observed text values"
                    )
                ), "text without a column"
            )
        }
        let name =
            column.map { "the amount by which \($0.table).\($0.name) changes" }
            ?? "a value without a column"
        return (.text(isText ? "''" : "1"), name)
    }

    // MARK: With values

    private func fitted(_ slot: StatementSlot, sample: ValueSample) -> SlotValue? {
        let schemaColumn = slot.column.flatMap(schema.column)
        let base = slot.column.map { "\($0.table)_\($0.name)" } ?? "value"
        func variable(_ variable: Variable, distance: Double) -> SlotValue {
            let comment = "fit distance \(ReportUnits.compactShare(distance))"
            return .variable(ColumnVariable(base: base, variable: variable, comment: comment))
        }
        let range = [.change, .rangeWidth].contains(slot.role) ? nil : schemaColumn?.range
        if let fit = DistributionFit.best(
            of: sample,
            range: range,
            minimumCount: options.minimumCount
        ) {
            var fitted = Variable(distribution: fit.distribution)
            guard fit.needsRange else { return variable(fitted, distance: fit.distance) }
            if let column = slot.column, range != nil {
                fitted.column = column
                // Most numbers in the range are not keys.
                if schemaColumn?.hasGaps == true, fit.distribution != .sequential {
                    fitted.distribution = .choice([], weights: [])
                }
                return variable(fitted, distance: fit.distance)
            }
            if let bounds = bounds(of: sample) {
                fitted.minimum = bounds.lowerBound
                fitted.maximum = bounds.upperBound
                return variable(fitted, distance: fit.distance)
            }
        }
        // Fit only the popularity of values, without revealing the values.
        guard let column = slot.column, let schemaColumn,
            let popular = DistributionFit.popularity(
                of: sample,
                distinct: schemaColumn.distinctCount ?? 0
            ),
            popular.distance < 0.2
        else { return nil }
        let drawn = Variable.Column(table: column.table, name: column.name, theta: popular.theta)
        return variable(
            Variable(distribution: .choice([], weights: []), column: drawn),
            distance: popular.distance
        )
    }

    /// Returns bounds that contain most of the integers.
    ///
    /// Enough integers lie outside each bound to hide the individual outliers.
    private func bounds(of sample: ValueSample) -> ClosedRange<Int64>? {
        let sorted = sample.integers.sorted()
        let hidden = options.minimumCount - 1
        guard sorted.count > 2 * hidden + 1 else { return nil }
        return sorted[hidden]...sorted[sorted.count - 1 - hidden]
    }

    /// Returns the mean length of a range of integers, or `nil` if neither values nor rows
    /// determine it.
    private func span(
        of slot: StatementSlot,
        at place: SlotGroups.Place,
        of shape: ShapeStatistics
    ) -> Int64? {
        var spans = SampledNumbers()
        for kept in shape.keptValues where options.showsValues {
            guard place.position < kept.count, place.slot < kept[place.position].count,
                case .integer(let first)? = kept[place.position][place.slot - 1],
                case .integer(let last)? = kept[place.position][place.slot]
            else { continue }
            spans.add(Double(last) - Double(first))
        }
        if spans.count >= options.minimumCount, spans.mean >= 0, spans.mean < Self.longestRange {
            return Int64(spans.mean.rounded())
        }
        return rangeLength(of: slot, at: place, of: shape)
    }

    /// The longest range to model, which is far below the largest `Int64`.
    private static let longestRange = 1e15

    /// Returns the mean length of a range over a column of unique integers, or `nil` if no rows
    /// determine it.
    ///
    /// An aggregate returns one row for any range, and a statement that writes returns none. For
    /// these statements, the result is the longest range that a query of the transaction reads.
    private func rangeLength(
        of slot: StatementSlot,
        at place: SlotGroups.Place,
        of shape: ShapeStatistics
    ) -> Int64? {
        guard let column = slot.column, let schemaColumn = schema.column(column),
            schemaColumn.isInteger, schemaColumn.isUnique
        else { return nil }
        let similar = shape.positions.indices.filter { position in
            shape.rows[position].count > 0 && shape.positions[position].returnsFoundRows
                && shape.positions[position].slots.contains {
                    $0.role == .rangeEnd && $0.column == column
                }
        }
        let longest = similar.map { shape.rows[$0].mean }.max()
        guard
            let rows = similar.contains(place.position) ? shape.rows[place.position].mean : longest
        else { return nil }
        let length = max(0, rows - 1) * schemaColumn.meanStep
        return length < Self.longestRange ? Int64(length.rounded()) : nil
    }

    private static func quotedName(_ name: String) -> String {
        name.quoted(by: "\"")
    }
}

extension StatementSlot.Role {
    /// Whether equal values find rows.
    var findsRows: Bool {
        switch self {
        case .comparison, .list: true
        default: false
        }
    }
}

extension StatementSlot {
    /// The column, as described in messages.
    var described: String { column.map { "\($0.table).\($0.name)" } ?? "a value" }
}

extension ShapeStatistics {
    /// Returns the values of a slot.
    ///
    /// If the statement's list is longer than the list in the shape's example, returns the values
    /// of the first slot with the same column.
    func sample(of slot: StatementSlot, at place: SlotGroups.Place) -> ValueSample {
        let samples = values[place.position]
        let slots = positions[place.position].slots
        if place.slot < samples.count, slots[place.slot].column == slot.column,
            samples[place.slot].count > 0
        {
            return samples[place.slot]
        }
        guard let column = slot.column else { return ValueSample() }
        return slots.indices.first { slots[$0].column == column }.map { samples[$0] }
            ?? ValueSample()
    }
}

extension NormalizedStatement {
    private static let aggregates = [
        "COUNT(", "SUM(", "TOTAL(", "AVG(", "MIN(", "MAX(", "GROUP_CONCAT(",
    ]

    /// Whether the statement returns a row for each row that it finds.
    var returnsFoundRows: Bool {
        let text = key.uppercased().filter { !$0.isWhitespace }
        return verb == "SELECT" && !text.contains("LIMIT?")
            && !Self.aggregates.contains { text.contains($0) }
    }

    /// Whether the statement specifies how to resolve conflicts with existing rows, as an upsert or
    /// `INSERT OR REPLACE` does.
    var toleratesConflicts: Bool {
        verb == "REPLACE" || key.hasPrefix("INSERT OR ") || key.contains(" ON CONFLICT ")
    }
}

/// The observed values of one slot of a statement.
struct ValueSample {
    /// The maximum number of distinct values to count.
    private static let capacity = 50_000

    private(set) var count = 0
    private(set) var counts: [WorkloadValue: Int] = [:]
    /// The number of values that were not counted because there were too many distinct values.
    private(set) var uncounted = 0
    /// The number of values that are one greater than the previous value.
    private(set) var successors = 0
    /// The first integers, in order of observation.
    private(set) var integers: [Int64] = []
    /// The lengths of strings and blobs.
    private(set) var lengths = SampledNumbers()
    private var last: WorkloadValue?

    mutating func add(_ value: WorkloadValue) {
        count += 1
        if counts.count < Self.capacity || counts[value] != nil {
            counts[value, default: 0] += 1
        } else {
            uncounted += 1
        }
        switch value {
        case .integer(let integer):
            if integers.count < Self.capacity { integers.append(integer) }
            if case .integer(let last)? = last, last < Int64.max, integer == last + 1 {
                successors += 1
            }
        case .text(let text): lengths.add(Double(text.unicodeScalars.count))
        case .blob(let bytes): lengths.add(Double(bytes.count))
        case .null, .real: break
        }
        last = value
    }

    /// The value that all executions share, or `nil` if there are several values or no values.
    var onlyValue: WorkloadValue? { counts.count == 1 && uncounted == 0 ? counts.first?.key : nil }
}
