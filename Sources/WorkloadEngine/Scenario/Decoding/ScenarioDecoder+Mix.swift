import Text
import Yams

extension ScenarioDecoder {
    /// Decodes a client's operations, or logs errors and returns an empty array.
    func decodeMix(_ client: String, _ reader: MappingReader, access: WorkloadAccess) -> [Operation]
    {
        guard let contentKey = reader.only(of: ["sql", "use", "mix"]) else {
            log.add(
                "\(reader.what) requires 'sql', 'use', 'mix', 'hold', or 'rows'",
                at: reader.mark
            )
            return []
        }
        guard contentKey == "mix" else {
            guard let steps = decodeSteps(reader, access: access) else { return [] }
            let name = reader["use"]?.scalar?.string ?? client
            return [Operation(name: name, steps: steps)]
        }
        let sequence = reader["mix"]?.sequence
        guard let sequence, !sequence.isEmpty else {
            reader.add(
                "'mix' of \(reader.what) "
                    + (sequence == nil ? "must be a list, " : "is an empty list; add operations, ")
                    + "such as [{weight: 9, use: select-only}]",
                atValue: "mix"
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
                    "two operations of \(reader.what) have the name '\(operation.name)'; "
                        + "choose different names",
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
        guard reader.alternative() != nil else { return nil }
        let weight = reader.has("weight") ? reader.positive("weight") : 1
        let name = reader.text("name") ?? (reader.has("name") ? nil : reader.text("use"))
        if name == nil, !reader.has("name") {
            log.add("\(reader.what) needs a 'name' for the results", at: reader.mark)
        }
        let declared = reader.word("access").map { $0 == "read" ? WorkloadAccess.read : .write }
        if reader.has("access"), declared == nil { return nil }
        guard let steps = decodeSteps(reader, access: declared ?? access), let weight, let name
        else {
            return nil
        }
        return Operation(name: name, weight: weight, access: declared, steps: steps)
    }

    /// Decodes the statements of `sql` or `use`, or logs errors and returns `nil`.
    func decodeStatements(_ reader: MappingReader) -> [String]? {
        decodeSteps(reader, access: .write)?.flatMap(\.statements)
    }

    /// Decodes the steps of `sql` or `use`, or logs errors and returns `nil`.
    func decodeSteps(_ reader: MappingReader, access: WorkloadAccess) -> [Step]? {
        var steps: [Step]?
        if let node = reader["sql"] {
            var stepReader = StepReader(self, what: "'sql' of \(reader.what)")
            steps = stepReader.steps(node)
        } else if let node = reader["use"], let name = reader.text("use") {
            steps = procedure(name, at: node.mark)
        }
        for sql in steps?.flatMap(\.statements) ?? [] where access == .read {
            checkReads(sql, reader)
        }
        return steps
    }

    /// Returns the steps of a statement or a transaction, or logs an error and returns `nil` if the
    /// name is unknown.
    func procedure(_ name: String, at mark: Mark?) -> [Step]? {
        let builtIn = dataset.transactions[name]?.map { Step.run($0) }
        guard let steps = transactions[name] ?? builtIn else {
            let known = (Array(transactions.keys) + Array(dataset.transactions.keys)).sorted()
            let elsewhere = Dataset.presets.first { $0.transactions[name] != nil }
            log.add(
                elsewhere.map {
                    "transaction '\(name)' requires dataset: {preset: \($0.presetName)}"
                }
                    ?? "unknown statement or transaction '\(name)'"
                    + (NearestName.of(name, among: known).map { "; did you mean '\($0)'?" }
                        ?? "; define it under 'statements' or 'transactions'"),
                at: mark
            )
            return nil
        }
        return steps
    }

    func singleStatement(_ reader: MappingReader) -> String? {
        guard let node = reader["sql"],
            let list = SQLReader(what: "'sql' of \(reader.what)", log: log).statements(node)
        else { return nil }
        checkParameters(of: list)
        if list.count > 1 {
            log.add("\(reader.what) accepts one statement, not \(list.count)", at: node.mark)
        }
        return list.first?.sql
    }

    /// Logs an error if a statement in a read access writes.
    func checkReads(_ sql: String, _ reader: MappingReader, at mark: Mark? = nil) {
        let writes = [
            "INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER", "REINDEX", "VACUUM",
        ]
        let verb = StatementTemplate(sql: sql).verb
        guard writes.contains(verb) else { return }
        log.add(
            "a read access cannot run \(verb): '\(sql)'; use access: write",
            at: mark ?? reader["sql"]?.mark ?? reader["use"]?.mark
        )
    }
}
