import Scenarios
import Telemetry

/// A scenario that is generated from statements and a database.
///
/// The values of a parameter come from the column that it is compared with or assigned to.
package struct ScenarioDraft {
    /// An operation, which consists of the statements of one access.
    struct Operation {
        var name: String
        var statements: [String]
        var comment: String?
    }

    let options: DraftOptions
    private let schema: CaptureSchema
    /// The words of full-text tables, for MATCH parameters.
    private let words: FullTextWords
    private(set) var variables = VariableRegistry()
    private(set) var reads: [Operation] = []
    private(set) var writes: [Operation] = []
    /// The names of all parameters of the statements.
    package private(set) var parameterNames: Set<String> = []

    package init(
        _ options: DraftOptions,
        schema: CaptureSchema,
        words: FullTextWords = FullTextWords()
    ) {
        self.options = options
        self.schema = schema
        self.words = words
    }

    /// Adds a read access.
    ///
    /// - Parameters:
    ///   - sql: The statements of the access, separated by semicolons.
    ///   - name: The name of the access in reports, or `nil` to derive it from the first statement.
    ///   - comment: A comment for the scenario.
    /// - Throws: ``DraftError`` for text that is not SQL, a statement that writes, or a parameter
    ///   without a source of values.
    package mutating func addRead(
        _ sql: String,
        name: String? = nil,
        comment: String? = nil
    ) throws(DraftError) {
        let statements = try parse(sql)
        if let writingStatement = statements.first(where: { !$0.isReadOnly }) {
            throw DraftError("'\(sql)' writes (\(writingStatement.verb)); use --write")
        }
        reads.append(try operation(statements, of: sql, name: name, comment: comment))
    }

    /// Adds a write access.
    ///
    /// The parameters are those of ``addRead(_:name:comment:)``.
    ///
    /// - Throws: ``DraftError`` for text that is not SQL, statements that only read, or a parameter
    ///   without a source of values.
    package mutating func addWrite(
        _ sql: String,
        name: String? = nil,
        comment: String? = nil
    ) throws(DraftError) {
        let statements = try parse(sql)
        guard statements.contains(where: { !$0.isReadOnly }) else {
            throw DraftError("'\(sql)' only reads; use --read")
        }
        writes.append(try operation(statements, of: sql, name: name, comment: comment))
    }

    private func parse(_ sql: String) throws(DraftError) -> [NormalizedStatement] {
        var parsed: [NormalizedStatement] = []
        for statement in StatementTemplate.statements(in: sql) {
            let normalized: NormalizedStatement
            do {
                normalized = try StatementParser.parse(statement, schema: schema)
            } catch {
                let isQuoted = error.message.contains("'\(statement)'")
                throw DraftError((isQuoted ? "" : "'\(statement)': ") + error.message)
            }
            if let control = Self.controlProblem(normalized.verb) {
                throw DraftError("'\(statement)': \(control)")
            }
            if let obstacle = normalized.obstacle {
                throw DraftError("'\(statement)' cannot be repeated, because \(obstacle)")
            }
            if let table = normalized.missingTables.first {
                let hint = NearestTable.hint(table, among: schema.tableNames)
                throw DraftError("'\(statement)': the database has no table '\(table)'\(hint)")
            }
            parsed.append(normalized)
        }
        guard !parsed.isEmpty else { throw DraftError("'\(sql)' contains no statement") }
        return parsed
    }

    /// Returns the reason that a statement cannot be part of an access, or `nil` if it can be.
    private static func controlProblem(_ verb: String) -> String? {
        switch verb {
        case "BEGIN", "COMMIT", "END":
            "omit BEGIN and \(verb == "END" ? "END" : "COMMIT"); each access is already one "
                + "transaction"
        case "ROLLBACK": "omit ROLLBACK; each access is a transaction, which is committed"
        default: nil
        }
    }

    // MARK: Operations

    private mutating func operation(
        _ statements: [NormalizedStatement],
        of sql: String,
        name: String?,
        comment: String?
    ) throws(DraftError) -> Operation {
        var texts: [String] = []
        // A parameter has the same variable throughout the access.
        var variableNames: [String: String] = [:]
        for statement in statements {
            texts.append(try text(of: statement, &variableNames))
        }
        let main = statements.first { !$0.isReadOnly } ?? statements[0]
        return Operation(
            name: unusedName(basedOn: name ?? Self.name(of: main)),
            statements: texts,
            comment: comment
        )
    }

    private static func name(of statement: NormalizedStatement) -> String {
        let table = statement.table.map { "-" + VariableRegistry.identifier($0) } ?? ""
        return statement.verb.lowercased() + table
    }

    private func unusedName(basedOn base: String) -> String {
        let names = Set((reads + writes).map(\.name))
        var name = base
        var number = 2
        while names.contains(name) {
            name = "\(base)-\(number)"
            number += 1
        }
        return name
    }

    private mutating func text(
        of statement: NormalizedStatement,
        _ variableNames: inout [String: String]
    ) throws(DraftError) -> String {
        var texts: [String] = []
        var rows = RowVariables()
        for (index, slot) in statement.slots.enumerated() {
            if let name = statement.parameterNames[index] { parameterNames.insert(name) }
            switch slot.source {
            case .literal(_, let literal): texts.append(literal)
            case .parameter:
                if let range = DraftRange(endingAt: index, of: statement, schema, options),
                    range.endIsUnused(in: variableNames)
                {
                    let start = texts.removeLast()
                    texts += try bounds(range, from: start, variableNames: &variableNames)
                } else {
                    texts.append(
                        try parameter(
                            at: index,
                            of: statement,
                            rows: &rows,
                            variableNames: &variableNames
                        )
                    )
                }
            }
        }
        return statement.sql { texts[$0] }
    }

    private mutating func bounds(
        _ range: DraftRange,
        from start: String,
        variableNames: inout [String: String]
    ) throws(DraftError) -> [String] {
        let variable = range.variable(start)
        let name = variables.name(
            range.name ?? variable.base,
            variable: variable.variable,
            comment: variable.comment,
            excluding: Set(variableNames.values)
        )
        variableNames[range.name ?? "?\(variableNames.count)"] = name
        return range.texts(start: start, end: ":\(name)")
    }

    private mutating func parameter(
        at index: Int,
        of statement: NormalizedStatement,
        rows: inout RowVariables,
        variableNames: inout [String: String]
    ) throws(DraftError) -> String {
        let (slot, name) = (statement.slots[index], statement.parameterNames[index])
        if let name, let variable = variableNames[name] {
            rows.add(variable, of: slot, in: slot.requiredRow, variables)
            return ":\(variable)"
        }
        var variable = try variable(for: slot, index, of: statement, name: name)
        if name.flatMap({ options.values[$0] }) == nil {
            let row = slot.requiredRow
            let isJoined = statement.slots.contains { other in
                guard row != nil, case .parameter = other.source else { return false }
                return other.requiredRow == row && other.column != slot.column
            }
            _ = rows.join(&variable, of: slot, in: row, isJoined: isJoined, variables)
        }
        let variableName = variables.name(
            name ?? variable.base,
            variable: variable.variable,
            comment: variable.comment,
            excluding: Set(variableNames.values)
        )
        // Each `?` is a separate parameter.
        variableNames[name ?? "?\(variableNames.count)"] = variableName
        rows.add(variableName, of: slot, in: slot.requiredRow, variables)
        return ":\(variableName)"
    }

    /// Returns the source of a parameter's values.
    private func variable(
        for slot: StatementSlot,
        _ index: Int,
        of statement: NormalizedStatement,
        name: String?
    ) throws(DraftError) -> ColumnVariable {
        if let name, let variable = options.values[name] {
            return ColumnVariable(base: name, variable: variable, comment: "as specified")
        }
        func constant(_ value: Int64, comment: String) -> ColumnVariable {
            let variable = Variable(distribution: .choice([.integer(value)], weights: []))
            return ColumnVariable(base: name ?? "value", variable: variable, comment: comment)
        }
        switch slot.role {
        case .limit: return constant(20, comment: "the value of a LIMIT")
        case .offset: return constant(0, comment: "the value of an OFFSET")
        case .change: return constant(1, comment: "the amount of a change")
        case .rangeWidth: return constant(99, comment: "the width of a range")
        case .insert:
            if let column = slot.column, schema.column(column)?.isUnique == true,
                !statement.toleratesConflicts
            {
                return .fresh(for: column, in: schema, prefix: "new-")
            }
        case .comparison, .rangeStart, .rangeEnd, .list, .set, .other: break
        }
        if let word = words.variable(at: index, of: statement) { return word }
        if let column = slot.column { return .drawn(from: column, in: schema) }
        let text = statement.sql { statement.parameterNames[$0].map { ":" + $0 } ?? "?" }
        let problem = "does not correspond to a column of the database: '\(text)'"
        let example = "=distribution: uniform, min: 1, max: 1000'"
        guard let name else {
            throw DraftError(
                "a parameter '?' \(problem); name it, such as :n, and specify its values: "
                    + "--values 'n\(example)"
            )
        }
        throw DraftError(
            "parameter ':\(name)' \(problem); specify its values: --values '\(name)\(example)"
        )
    }
}

private enum NearestTable {
    static func hint(_ name: String, among tables: [String]) -> String {
        guard let nearest = tables.first(where: { $0.lowercased().hasPrefix(name.lowercased()) })
        else {
            guard !tables.isEmpty else { return "; it has no tables" }
            let names = tables.prefix(8).joined(separator: ", ")
            return "; its tables \(tables.count > 8 ? "include" : "are"): \(names)"
        }
        return "; did you mean '\(nearest)'?"
    }
}

/// The bounds of `BETWEEN :start AND :end`, or of `column >= :start AND column < :end`.
///
/// Two independent values would often be in the wrong order, so the statement would find no rows.
/// For an integer column, the end is the start plus a width. Other values cannot be added, so the
/// smaller of two values is the start.
struct DraftRange {
    /// The name of the parameter for the end, or `nil` for `?`.
    let name: String?
    private let column: Variable.Column
    /// The largest width, or `nil` if the values cannot be added.
    private let width: Int64?
    private let drawn: ColumnVariable

    /// The number of distinct values that the widest range contains.
    private static let valueCount: Int64 = 100

    /// Creates the range that ends with a slot.
    ///
    /// Returns `nil` if the slot does not end a range of two parameters, or if the user specified
    /// the values of the end.
    init?(
        endingAt index: Int,
        of statement: NormalizedStatement,
        _ schema: CaptureSchema,
        _ options: DraftOptions
    ) {
        let end = statement.slots[index]
        guard end.role == .rangeEnd, index > 0, let column = end.column else { return nil }
        let start = statement.slots[index - 1]
        guard start.role == .rangeStart, start.column == column, case .parameter = start.source
        else { return nil }
        name = statement.parameterNames[index]
        if let name, options.values[name] != nil { return nil }
        // A range with the same parameter for both bounds contains a single value.
        if let name, name == statement.parameterNames[index - 1] { return nil }
        self.column = column
        let schemaColumn = schema.column(column)
        width = schemaColumn?.isInteger == true ? Self.width(of: schemaColumn) : nil
        drawn = ColumnVariable.drawn(from: column, in: schema)
    }

    /// Returns the width that contains about ``valueCount`` distinct values of a column.
    private static func width(of column: CaptureSchema.Column?) -> Int64 {
        guard let range = column?.range, let count = column?.distinctCount, count > 0 else {
            return valueCount - 1
        }
        let span = Double(range.upperBound) - Double(range.lowerBound)
        let width = span / Double(count) * Double(min(valueCount, Int64(clamping: count)))
        return max(1, Int64(min(width, 1e15).rounded()) - 1)
    }

    /// Returns whether the access does not yet use the parameter for the end.
    ///
    /// `variableNames` contains the names of the access's variables, by parameter name.
    func endIsUnused(in variableNames: [String: String]) -> Bool {
        name.map { variableNames[$0] == nil } ?? true
    }

    /// Returns the variable for the end of a range, given the text of the start.
    func variable(_ start: String) -> ColumnVariable {
        guard let width else {
            return ColumnVariable(
                base: drawn.base,
                variable: drawn.variable,
                comment: "\(drawn.comment); the smaller value starts the range"
            )
        }
        return ColumnVariable(
            base: "\(column.table)_\(column.name)_width",
            variable: Variable(distribution: .uniform, minimum: 0, maximum: width),
            comment: "the width of the range that starts at \(start)"
        )
    }

    func texts(start: String, end: String) -> [String] {
        width == nil
            ? ["min(\(start), \(end))", "max(\(start), \(end))"] : [start, "(\(start) + \(end))"]
    }
}

package struct DraftOptions: Sendable {
    package var name: String
    /// The description of the scenario, in one sentence.
    package var description: String
    /// The path of the database, as it appears in the scenario.
    package var database: String
    /// The paragraphs of the comment at the top of the scenario.
    package var introduction: [String] = []
    package var arms = DraftArm.defaults
    /// The total number of workers of all clients.
    package var workers = 4
    /// The total access rate of all clients, per second, or `nil` for closed loops.
    package var rate: Double?
    /// The share of workers and of the rate for writes, from 0 to 1, or `nil` to use the share of
    /// writing operations.
    package var writeShare: Double?
    /// The duration of the measured phase, in seconds.
    package var seconds = 5.0
    /// The variables of parameters by name.
    package var values: [String: Variable] = [:]

    package init(name: String, description: String, database: String) {
        self.name = name
        self.description = description
        self.database = database
    }
}

/// An arm that can be specified on a command line.
package struct DraftArm: Sendable, Equatable {
    let arm: Arm
    let comment: String

    package var name: String { arm.name }

    /// The default arms, which compare a queue with a pool.
    package static let defaults = ["queue", "queue-wal", "pool"].compactMap { DraftArm($0) }

    /// The valid names, for error messages and help.
    package static let names = "queue, queue-wal, pool, pool-8 (with any number of readers), raw"

    /// Creates the arm with a name, or returns `nil` if the name is unknown.
    package init?(_ name: String) {
        switch name {
        case "queue":
            comment =
                "One connection, with SQLite's defaults: a rollback journal, synchronous FULL."
            arm = Arm(name: name, kind: .queue)
        case "queue-wal":
            comment = "One connection, with a write-ahead log and synchronous NORMAL."
            arm = Arm(name: name, kind: .queue, journal: .wal)
        case "pool":
            comment = "A writer and four readers, with a write-ahead log."
            arm = Arm(name: name, kind: .pool, readers: 4)
        case "raw":
            comment = "libsqlite3 alone, with a write-ahead log and a connection for each worker."
            arm = Arm(name: name, kind: .pool, library: .raw)
        default:
            guard name.hasPrefix("pool-"), let readers = Int(name.dropFirst(5)),
                (1...1000).contains(readers)
            else { return nil }
            comment = "A writer and \(readers) \(readers == 1 ? "reader" : "readers")."
            arm = Arm(name: name, kind: .pool, readers: readers)
        }
    }
}

/// An error for a statement that cannot be part of a draft.
package struct DraftError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, the statement, and a remedy.
    package var description: String

    init(_ description: String) { self.description = description }
}

/// Formats the draft as a scenario file.
extension ScenarioDraft {
    package var yaml: String {
        var scenario = Scenario(
            name: options.name,
            dataset: .file(options.database),
            arms: options.arms.map(\.arm),
            phases: [
                Phase(name: "warm-up", duration: .seconds(1), isMeasured: false),
                Phase(name: "steady", duration: .rounded(options.seconds)),
            ],
            clients: []
        )
        scenario.description = options.description
        var comments = ["dataset": ["copied, never changed"]]
        for arm in options.arms { comments["arms.\(arm.name)"] = [arm.comment] }
        for entry in variables.entries {
            scenario.variables[entry.name] = entry.variable
            comments["variables.\(entry.name)"] = [entry.comment]
        }
        for (name, operations, access, share) in [
            ("reads", reads, WorkloadAccess.read, 1 - writeShare),
            ("writes", writes, .write, writeShare),
        ] where !operations.isEmpty {
            scenario.clients.append(
                client(name, access: access, operations: operations, share: share)
            )
            for operation in operations {
                let path = "clients.\(name).mix.\(operation.name)"
                comments[path] = operation.comment.map { [$0] }
            }
        }
        let metric = options.rate == nil ? "throughput" : "response.p99"
        scenario.primary = scenario.clients.map { "\($0.name).\(metric)" }
        return ScenarioEncoder.text(
            of: scenario,
            introduction: options.introduction,
            comments: comments
        )
    }

    /// The share of writes in the load, from 0 to 1.
    private var writeShare: Double {
        if writes.isEmpty { return 0 }
        if reads.isEmpty { return 1 }
        return options.writeShare ?? Double(writes.count) / Double(reads.count + writes.count)
    }

    private func client(
        _ name: String,
        access: WorkloadAccess,
        operations: [Operation],
        share: Double
    ) -> Client {
        let mix = operations.map {
            Scenarios.Operation(name: $0.name, statements: $0.statements)
        }
        var client = Client(name: name, activity: .operations(access, mix: mix))
        client.workers = max(1, Int((Double(options.workers) * share).rounded()))
        if let rate = options.rate { client.pace = .open(Arrival(rate: .rounded(rate * share))) }
        return client
    }
}
