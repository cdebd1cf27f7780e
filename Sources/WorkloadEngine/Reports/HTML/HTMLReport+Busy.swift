import Text

extension HTMLReport {
    static func busy(_ run: ArmResult) -> [Markup] {
        guard let busy = run.busy else { return [] }
        var table = HTMLTable(
            "SQLITE_BUSY by cause",
            columns: [
                "cause", "client", "held by", "statement", "times", "retried", "waited", "longest",
            ],
            textColumnCount: 4
        )
        for group in busy.groups {
            let cells = TextReport.cells(group)
            table.add(
                [cells[0], cells[1], cells[6], group.statement.map(TextReport.oneLine) ?? "–"]
                    + cells[2...5]
            )
        }
        guard busy.others > 0 else { return [table.markup] }
        let others = HumanUnits.exact(busy.others)
        return [table.markup, .list(["\(others) failures of other kinds are not listed."])]
    }

    /// The findings of a run, each with its remedy.
    static func findings(_ run: ArmResult) -> [Markup] {
        guard let findings = run.findings else { return [] }
        return [
            .list(
                findings.map { finding in
                    "\(finding.level.mark) \(finding.text)"
                        + (finding.remedy.map { " → \($0)" } ?? "")
                }
            )
        ]
    }
}
