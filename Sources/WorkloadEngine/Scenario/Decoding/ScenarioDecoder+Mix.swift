import Yams

extension ScenarioDecoder {
    /// A client's operations; empty when something is wrong with them, which is logged.
    func decodeMix(_ client: String, _ reader: MappingReader, access: WorkloadAccess) -> [Operation]
    {
        let ways = ["sql", "use", "mix"].filter(reader.has)
        guard let way = ways.first else {
            log.add("\(reader.what) needs 'sql', 'use', 'mix', 'hold' or 'rows'", at: reader.mark)
            return []
        }
        for other in ways.dropFirst() {
            log.add("'\(other)' does not go with '\(way)'", at: reader.mark(of: other))
        }
        guard way == "mix" else {
            guard let statements = decodeStatements(reader, access: access) else { return [] }
            let name = reader["use"]?.scalar?.string ?? client
            return [Operation(name: name, statements: statements)]
        }
        guard let sequence = reader["mix"]?.sequence, !sequence.isEmpty else {
            log.add(
                "'mix' of \(reader.what) must be a list, such as [{weight: 9, use: select-only}]",
                at: reader["mix"]?.mark
            )
            return []
        }
        var operations: [Operation] = []
        for item in sequence {
            guard let operation = decodeOperation(item, of: reader, access: access) else {
                continue
            }
            if operations.contains(where: { $0.name == operation.name }) {
                log.add(
                    "two operations of \(reader.what) have the name '\(operation.name)'",
                    at: item.mark
                )
            }
            operations.append(operation)
        }
        return operations
    }

    private func decodeOperation(
        _ item: Node,
        of client: MappingReader,
        access: WorkloadAccess
    ) -> Operation? {
        guard
            let reader = MappingReader(
                item,
                what: "an operation of \(client.what)",
                Language.operation,
                log: log
            )
        else { return nil }
        guard reader.has("sql") || reader.has("use") else {
            log.add("\(reader.what) needs 'sql' or 'use'", at: reader.mark)
            return nil
        }
        if reader.has("sql"), reader.has("use") {
            log.add("'use' does not go with 'sql'", at: reader.mark(of: "use"))
        }
        let weight = reader.has("weight") ? reader.positive("weight") : 1
        let name = reader.text("name") ?? (reader.has("name") ? nil : reader.text("use"))
        if name == nil, !reader.has("name") {
            log.add("\(reader.what) needs a 'name' for the results", at: reader.mark)
        }
        guard let statements = decodeStatements(reader, access: access), let weight, let name else {
            return nil
        }
        return Operation(name: name, weight: weight, statements: statements)
    }

    /// The statements of `sql` or `use`; nil when there are none, and logged when that is wrong.
    func decodeStatements(_ reader: MappingReader, access: WorkloadAccess = .write) -> [String]? {
        if let node = reader["sql"] {
            guard
                let list = SQLReader(what: "'sql' of \(reader.what)", log: log).statements(node)
            else { return nil }
            checkParameters(of: list)
            for statement in list where access == .read { checkReads(statement.sql, reader) }
            return list.map(\.sql)
        }
        guard let node = reader["use"], let name = reader.text("use") else { return nil }
        guard let statements = transactions[name] ?? dataset.transactions[name] else {
            let known = (Array(transactions.keys) + Array(dataset.transactions.keys)).sorted()
            let elsewhere = Dataset.presets.first { $0.transactions[name] != nil }
            log.add(
                elsewhere.map { "transaction '\(name)' needs the dataset \($0.presetName)" }
                    ?? "unknown transaction '\(name)'" + NearestName.hint(name, among: known),
                at: node.mark
            )
            return nil
        }
        for statement in statements where access == .read { checkReads(statement, reader) }
        return statements
    }

    /// The one statement of a hold or a snapshot.
    func singleStatement(_ reader: MappingReader) -> String? {
        guard let node = reader["sql"],
            let list = SQLReader(what: "'sql' of \(reader.what)", log: log).statements(node)
        else { return nil }
        checkParameters(of: list)
        if list.count > 1 {
            log.add("\(reader.what) takes one statement, not \(list.count)", at: node.mark)
        }
        return list.first?.sql
    }

    /// Logs a statement that can only write, in an access that cannot.
    func checkReads(_ sql: String, _ reader: MappingReader) {
        let writes = [
            "INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER", "REINDEX", "VACUUM",
        ]
        let verb = StatementTemplate(sql: sql).verb
        guard writes.contains(verb) else { return }
        log.add(
            "\(verb) in an access that reads: '\(sql)'; write access: write",
            at: reader["sql"]?.mark ?? reader["use"]?.mark
        )
    }
}
