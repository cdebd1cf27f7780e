import Text

struct CheckLog {
    private let scenario: Scenario
    private(set) var issues: [ScenarioError.Issue] = []

    init(_ scenario: Scenario) { self.scenario = scenario }

    mutating func add(
        _ sql: String,
        of owner: String,
        problem: String,
        error: any Error,
        on target: any WorkloadTarget
    ) {
        add("'\(sql)' of \(owner) \(problem): \(target.reason(of: error))", sql: sql)
    }

    mutating func add(_ message: String, sql: String?) {
        let issue = scenario.issue(message, with: sql)
        // Several arms and clients may use the same statement.
        let isKnown = issues.contains {
            $0 == issue || issue.line != nil && $0.line == issue.line && $0.column == issue.column
        }
        if !isKnown { issues.append(issue) }
    }
}

extension Scenario {
    /// Returns an issue at a statement's position in the file, or with the `--set` option that
    /// contains the statement.
    func issue(_ message: String, with sql: String?) -> ScenarioError.Issue {
        if let sql, let setting = settings.last(where: { $0.value.contains(sql) }) {
            return ScenarioError.Issue(file: "", message: "--set '\(setting)': \(message)")
        }
        let place = sql.flatMap { statementPositions[$0] }
        return ScenarioError.Issue(
            file: file,
            line: place?.line,
            column: place?.column,
            message: message
        )
    }
}

extension WorkloadTarget {
    /// Returns the reason that a statement is invalid, without the statement's text.
    ///
    /// If a name is missing from the database, the reason suggests the nearest name.
    func reason(of error: any Error) -> String {
        let text = String(describing: error)
        if let missing = MissingName(in: text) {
            return missing.description + missing.hint(on: self)
        }
        return text.replacing(/^SQLite error \d+:\s/, with: "")
            .replacing(/\s- while executing `[\s\S]*`/, with: "")
    }
}

/// A name that SQLite did not find, as in the message `no such column: abalnce`.
package struct MissingName: CustomStringConvertible {
    /// The kind of object: `table`, `column`, or `function`.
    package let kind: String
    let name: String

    package init?(in message: String) {
        let pattern = /no such (table|column|function): ([^\s`]+)/
        if let match = message.firstMatch(of: pattern) {
            kind = String(match.1)
            name = String(match.2)
        } else if let match = message.firstMatch(of: /table .+ has no column named ([^\s`]+)/) {
            kind = "column"
            name = String(match.1)
        } else {
            return nil
        }
    }

    package var description: String { "no such \(kind): \(name)" }

    package func hint(on target: any WorkloadTarget) -> String {
        let sql: String
        switch kind {
        case "table": sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        case "column":
            sql = """
                SELECT DISTINCT p.name FROM sqlite_master m, pragma_table_info(m.name) p \
                WHERE m.type IN ('table', 'view')
                """
        default: sql = "SELECT DISTINCT name FROM pragma_function_list"
        }
        var found: [String]?
        try? target.perform(.read, as: WorkloadClientName("check")) { session in
            found = try session.rows(sql, []).compactMap { row in
                if case .text(let name) = row.first { name } else { nil }
            }
        }
        guard let names = found else { return "" }
        if kind == "table", names.isEmpty { return "; the database has no tables" }
        let last = name.split(separator: ".").last.map(String.init) ?? name
        return kind == "function"
            ? NearestName.of(last, among: names).map { "; did you mean '\($0)'?" } ?? ""
            : NearestName.hint(last, among: names.sorted())
    }
}
