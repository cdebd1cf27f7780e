import Text
import YAML
import Yams

/// A type that reads statements from a string with one or more statements, or from a list of such
/// strings.
struct SQLReader {
    struct Statement {
        var sql: String
        var mark: Mark?
    }

    let what: String
    let log: YAMLLog

    /// Returns the statements, or logs an error and returns `nil` if there are none.
    func statements(_ node: Node) -> [Statement]? {
        let nodes = node.sequence.map(Array.init) ?? [node]
        var result: [Statement] = []
        for item in nodes {
            guard let text = item.scalar?.string else {
                log.add("\(what) must be SQL, not \(MappingReader.text(of: item))", at: item.mark)
                return nil
            }
            let parts = StatementTemplate.statements(in: text)
            if parts.isEmpty {
                log.add("\(what) must contain a statement, not '\(text)'", at: item.mark)
            }
            for sql in parts { log.statementPositions.add(sql, at: item.mark) }
            result += parts.map { Statement(sql: $0, mark: item.mark) }
        }
        if nodes.isEmpty { log.add("\(what) must contain a statement", at: node.mark) }
        return result.isEmpty ? nil : result
    }
}

extension ScenarioDecoder {
    /// Logs an error for each parameter without a value.
    ///
    /// Earlier steps provide the values of the parameters in `fetched`.
    func checkParameters(
        of statements: [SQLReader.Statement],
        fetched: Set<String> = []
    ) {
        let known = Set(variables.keys).union(dataset.variables.keys).union(fetched).sorted()
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
            for text in template.unsupportedParameters {
                log.add(
                    "parameter '\(text)' in '\(statement.sql)' has no value; write :name",
                    at: statement.mark
                )
            }
        }
    }
}
