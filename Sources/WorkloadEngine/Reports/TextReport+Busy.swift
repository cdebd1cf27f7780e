import Text

extension TextReport {
    /// The maximum number of groups in a text report.
    private static let busyLimit = 10
    static let statementLength = 100

    static func busy(_ run: ArmResult) -> [String] {
        guard let busy = run.busy else { return [] }
        let shown = busy.groups.prefix(busyLimit)
        var table = TextTable([
            "cause", "client", "times", "retried", "waited", "longest", "held by",
        ])
        for group in shown { table.add(cells(group)) }
        let rows = table.lines(indent: "    ")
        var lines = ["  SQLITE_BUSY by cause"] + rows.prefix(1)
        for (row, group) in zip(rows.dropFirst(), shown) {
            lines.append(row)
            let details = [group.code, group.statement.map(oneLine)].compactMap(\.self)
            if !details.isEmpty { lines.append("      \(details.joined(separator: " in "))") }
        }
        if let rest = rest(busy) { lines.append("    \(rest)") }
        return lines
    }

    static func cells(_ group: BusyResult.Group) -> [String] {
        [
            group.cause.title, group.client, HumanUnits.exact(group.count),
            HumanUnits.exact(group.retried), ReportUnits.time(group.waited),
            ReportUnits.time(group.longestWait), holders(group),
        ]
    }

    static func rest(_ busy: BusyResult) -> String? {
        let hidden = busy.groups.dropFirst(busyLimit).reduce(0) { $0 + $1.count } + busy.others
        return hidden > 0 ? "and \(HumanUnits.exact(hidden)) more" : nil
    }

    /// Returns the most frequent holders and their shares, such as `import 80%, unknown 20%`.
    private static func holders(_ group: BusyResult.Group) -> String {
        let sorted = group.holders.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        if sorted.count == 1, let only = sorted.first { return only.key }
        return sorted.prefix(3).map { name, count in
            "\(name) \(ReportUnits.percent(Double(count) / Double(max(1, group.count))))"
        }.joined(separator: ", ")
    }

    static func oneLine(_ sql: String) -> String { oneLine(sql, limit: statementLength) }

    static func oneLine(_ sql: String, limit: Int) -> String {
        let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count <= limit ? line : line.prefix(limit) + "…"
    }
}
