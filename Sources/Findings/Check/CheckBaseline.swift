/// The findings that a check does not fail on.
///
/// Paths of temporary folders differ in each run, so a finding is identified by its statement, by the
/// name of its file, or by the name of its program.
package struct CheckBaseline: Sendable, Codable, Equatable {
    package struct Entry: Sendable, Codable, Hashable {
        package var rule: String
        package var statement: String?
        package var file: String?

        package var program: String?

        init(_ finding: CheckFinding) {
            rule = finding.rule.rawValue
            if finding.rule.isOfProgram {
                program = finding.program
                return
            }
            statement = finding.statement
            guard finding.statement == nil else { return }
            file = finding.file?.split(separator: "/").last.map { String($0) }
        }
    }

    package var schema = CheckBaseline.schema
    package var findings: [Entry]

    package static let schema = "poolgauge.check-baseline/1"

    package init(_ findings: [CheckFinding]) {
        self.findings = Array(Set(findings.map(Entry.init)))
            .sorted { left, right in
                (left.rule, left.statement ?? "", left.file ?? left.program ?? "")
                    < (right.rule, right.statement ?? "", right.file ?? right.program ?? "")
            }
    }

    /// Marks the findings that are not in the baseline, and returns the number of those that the
    /// findings lack.
    package func mark(_ findings: inout [CheckFinding]) -> Int {
        var known = Set(self.findings)
        let all = known
        for index in findings.indices {
            let entry = Entry(findings[index])
            findings[index].isNew = !all.contains(entry)
            known.remove(entry)
        }
        return known.count
    }
}
