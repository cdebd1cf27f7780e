import Yams

/// A log that collects all errors in a file so that they can be reported together.
final class IssueLog {
    let file: String
    private(set) var issues: [ScenarioError.Issue] = []
    var statementPositions = StatementPositions()

    init(file: String) { self.file = file }

    func add(_ message: String, at mark: Mark?) {
        add(message, line: mark?.line, column: mark?.column)
    }

    func add(_ message: String, line: Int?, column: Int?) {
        issues.append(
            ScenarioError.Issue(file: file, line: line, column: column, message: message)
        )
    }

    func throwIfAny() throws(ScenarioError) {
        guard !issues.isEmpty else { return }
        let sorted = issues.enumerated().sorted { a, b in
            let (x, y) = (a.element, b.element)
            return (x.line ?? 0, x.column ?? 0, a.offset) < (y.line ?? 0, y.column ?? 0, b.offset)
        }
        throw ScenarioError(issues: sorted.map(\.element))
    }
}
