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
        var remedies: [String] = []
        for group in busy.groups {
            let line = "\(group.client), \(group.cause.title): \(group.remedy)."
            if !remedies.contains(line) { remedies.append(line) }
        }
        if busy.others > 0 {
            remedies.append(
                "\(HumanUnits.exact(busy.others)) failures of other kinds are not listed."
            )
        }
        return [table.markup, .list(remedies)]
    }
}
