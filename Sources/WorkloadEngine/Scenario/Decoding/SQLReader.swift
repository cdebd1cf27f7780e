import Yams

/// Reads statements from a node: one text, which may hold several, or a list.
struct SQLReader {
    /// A statement and where its text stands.
    struct Statement {
        var sql: String
        var mark: Mark?
    }

    /// What the statements belong to, for messages.
    let what: String
    let log: IssueLog

    /// The statements; nil when there are none, which is logged.
    func statements(_ node: Node) -> [Statement]? {
        let nodes = node.sequence.map(Array.init) ?? [node]
        var result: [Statement] = []
        for item in nodes {
            guard let text = item.scalar?.string else {
                log.add("\(what) must be SQL, not \(MappingReader.text(of: item))", at: item.mark)
                return nil
            }
            let parts = StatementTemplate.statements(in: text)
            if parts.isEmpty { log.add("\(what) has no SQL in '\(text)'", at: item.mark) }
            for sql in parts { log.places.add(sql, at: item.mark) }
            result += parts.map { Statement(sql: $0, mark: item.mark) }
        }
        if nodes.isEmpty { log.add("\(what) has no SQL", at: node.mark) }
        return result.isEmpty ? nil : result
    }
}

extension ScenarioDecoder {
    /// Logs parameters that nobody gives a value.
    func checkParameters(of statements: [SQLReader.Statement]) {
        let known = Set(variables.keys).union(dataset.variables.keys).sorted()
        for statement in statements {
            let template = StatementTemplate(sql: statement.sql)
            for name in template.parameters where !known.contains(name) {
                let hint = NearestName.of(name, among: known).map { "; did you mean ':\($0)'?" }
                log.add(
                    "undefined variable ':\(name)' in '\(statement.sql)'"
                        + (hint ?? "; define it under 'variables'"
                            + (known.isEmpty ? "" : ", or use \(known.joined(separator: ", "))")),
                    at: statement.mark
                )
            }
            for text in template.foreignParameters {
                log.add(
                    "parameter '\(text)' in '\(statement.sql)' gets no value; write :name",
                    at: statement.mark
                )
            }
        }
    }
}
