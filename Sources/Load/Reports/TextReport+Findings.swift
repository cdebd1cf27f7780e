import Findings
import Text
import WorkloadEngine

extension TextReport {
    static func blame(_ run: ArmResult) -> [String] {
        guard let blame = run.blame, !blame.isEmpty else { return [] }
        var lines = ["  what the slow accesses waited for"]
        for (client, result) in blame.sorted(by: { $0.key < $1.key }) {
            lines += result.sentences(of: client).map { "    " + $0 }
        }
        return lines
    }

    /// The findings of a run, each with its remedy.
    static func findings(_ run: ArmResult) -> [String] {
        guard let findings = run.findings, !findings.isEmpty else { return [] }
        return ["  findings"] + Self.findings(findings)
    }

    static func findings(_ findings: [Finding]) -> [String] {
        findings.flatMap { finding in
            Paragraph.lines("\(finding.level.mark) \(finding.text)", first: "    ", rest: "      ")
                + (finding.remedy.map { Paragraph.lines($0, first: "      → ", rest: "        ") }
                    ?? [])
        }
    }
}
