import WorkloadEngine

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
        for (index, slot) in statement.slots.enumerated() {
            if let name = statement.parameterNames[index] { parameterNames.insert(name) }
            switch slot.source {
            case .literal(_, let literal): texts.append(literal)
            case .parameter:
                if let range = DraftRange(endingAt: index, of: statement, schema, options),
                    range.endIsUnused(in: variableNames)
                {
                    let start = texts.removeLast()
                    texts += try bounds(range, from: start, &variableNames)
                } else {
                    texts.append(try parameter(slot, index, of: statement, &variableNames))
                }
            }
        }
        return statement.sql { texts[$0] }
    }

    private mutating func bounds(
        _ range: DraftRange,
        from start: String,
        _ variableNames: inout [String: String]
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
        _ slot: StatementSlot,
        _ index: Int,
        of statement: NormalizedStatement,
        _ variableNames: inout [String: String]
    ) throws(DraftError) -> String {
        let name = statement.parameterNames[index]
        if let name, let variable = variableNames[name] { return ":\(variable)" }
        let variable = try variable(for: slot, index, of: statement, name)
        let variableName = variables.name(
            name ?? variable.base,
            variable: variable.variable,
            comment: variable.comment,
            excluding: Set(variableNames.values)
        )
        // Each `?` is a separate parameter.
        variableNames[name ?? "?\(variableNames.count)"] = variableName
        return ":\(variableName)"
    }

    /// Returns the source of a parameter's values.
    private func variable(
        for slot: StatementSlot,
        _ index: Int,
        of statement: NormalizedStatement,
        _ name: String?
    ) throws(DraftError) -> ColumnVariable {
        if let name, let variable = options.values[name] {
            return ColumnVariable(base: name, variable: variable, comment: "as specified")
        }
        func constant(_ value: Int64, _ comment: String) -> ColumnVariable {
            let variable = Variable(distribution: .choice([.integer(value)], weights: []))
            return ColumnVariable(base: name ?? "value", variable: variable, comment: comment)
        }
        switch slot.role {
        case .limit: return constant(20, "the value of a LIMIT")
        case .offset: return constant(0, "the value of an OFFSET")
        case .change: return constant(1, "the amount of a change")
        case .rangeWidth: return constant(99, "the width of a range")
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
