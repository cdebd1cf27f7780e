import Findings
import Text

/// A type that formats statements, transactions, and waits for ``WatchText``.
package enum WatchStatementText {
    private static let limit = 20
    /// The maximum length of a statement's text, in characters.
    private static let textWidth = 58

    /// Returns the lines of a report about statements, or an empty array if SQL is not traced.
    static func lines(of report: WatchReport, cutsStatements: Bool) -> [String] {
        guard let tracing = report.tracing else { return [] }
        let limit = cutsStatements ? textWidth : Int.max
        return statements(report, width: limit) + transactions(report, width: limit)
            + waits(report, width: limit)
            + WatchConnectionText.lines(of: report) + notes(tracing)
    }

    private static func statements(_ report: WatchReport, width: Int) -> [String] {
        guard let statements = report.statements, !statements.isEmpty else {
            return ["", "no statements were executed"]
        }
        let isTimed = statements.contains { $0.timed > 0 }
        let hasFailures = statements.contains { $0.failed > 0 }
        var rows = [["calls", "calls/s", "busy"] + (hasFailures ? ["failed"] : []) + ["waited"]]
        if isTimed { rows[0] += ["rows", "mean", "p99", "total"] }
        rows[0] += ["pids", "statement"]
        for statement in statements.prefix(limit) {
            var row = [
                calls(statement),
                (statement.isSampled == true ? "≈" : "")
                    + HumanUnits.number(statement.callsPerSecond),
                statement.busy == 0 ? "–" : HumanUnits.exact(statement.busy),
            ]
            if hasFailures {
                row.append(statement.failed == 0 ? "–" : HumanUnits.exact(statement.failed))
            }
            row.append(
                statement.waited == 0 ? "–" : HumanUnits.duration(seconds: statement.waited)
            )
            if isTimed {
                row += [
                    statement.rows.map(HumanUnits.number) ?? "",
                    mean(statement), statement.p99.map(HumanUnits.duration(seconds:)) ?? "",
                    statement.seconds.map(HumanUnits.duration(seconds:)) ?? "",
                ]
            }
            let values = statement.values.map { " -- " + $0.joined(separator: ", ") } ?? ""
            row += [
                statement.pids.count == 1
                    ? String(statement.pids[0]) : "\(statement.pids.count) processes",
                shortened(statement.sql, width: width) + values,
            ]
            rows.append(row)
        }
        let more = statements.count - limit
        return [""] + WatchText.table(rows) + (more > 0 ? ["and \(more) more"] : [])
    }

    private static func transactions(_ report: WatchReport, width: Int) -> [String] {
        let transactions = report.transactions ?? []
        guard !transactions.isEmpty else { return [] }
        var rows = [
            ["process", "state", "age", "statements", "longest gap", "last statement"]
        ]
        let open = transactions.filter(\.open)
        for transaction in open.prefix(limit) + transactions.filter({ !$0.open }).prefix(5) {
            rows.append([
                process(transaction.name, pid: transaction.pid),
                (transaction.open ? "open" : "ended") + (transaction.writes ? ", writing" : ""),
                HumanUnits.duration(seconds: transaction.seconds),
                HumanUnits.exact(transaction.statements),
                HumanUnits.duration(seconds: transaction.longestGapSeconds),
                shortened(transaction.sql ?? "?", width: width),
            ])
        }
        return [""] + WatchText.table(rows)
    }

    private static func waits(_ report: WatchReport, width: Int) -> [String] {
        guard let waits = report.waits, !waits.isEmpty else { return [] }
        var rows = [["waits", "total", "longest", "result", "process", "for", "statement"]]
        for group in waits.prefix(limit) {
            let longest = group.longest
            let bound = longest.isUpperBound ? "≤ " : ""
            rows.append([
                HumanUnits.exact(group.count),
                bound + HumanUnits.duration(seconds: group.seconds),
                bound + HumanUnits.duration(seconds: longest.seconds),
                longest.failed ? "BUSY" : "ok", process(longest.name, pid: longest.pid),
                longest.holderText,
                shortened(longest.sql ?? "?", width: width),
            ])
        }
        let more = waits.dropFirst(limit).reduce(0) { $0 + $1.count }
        return [""] + WatchText.table(rows) + (more > 0 ? ["and \(more) more waits"] : [])
    }

    private static func notes(_ tracing: WatchedTracing) -> [String] {
        var notes: [String] = tracing.notVisible.map { hidden in
            "the SQL of \(process(hidden.name, pid: hidden.pid)) is not visible: \(hidden.reason)"
        }
        if tracing.lost > 0 {
            notes.append(
                "executions lost: \(HumanUnits.exact(tracing.lost)); all counts are lower bounds"
            )
        }
        if tracing.unknownTexts > 0 {
            let executions = HumanUnits.exact(tracing.unknownTexts, "execution")
            notes.append("the SQL of \(executions) could not be read")
        }
        notes += tracing.notes
        let cost =
            tracing.secondsPerEvent.map { ", \(HumanUnits.duration(seconds: $0)) each" } ?? ""
        var lines = [""]
        for note in notes { lines += Paragraph.lines(note, first: "note: ", rest: "      ") }
        lines += Paragraph.lines(
            "SQL: \(HumanUnits.exact(tracing.events, "event")) in "
                + "\(HumanUnits.duration(seconds: tracing.seconds))\(cost); "
                + (tracing.source == WatchedTracing.agentSource
                    ? "recorded by a library in "
                        + HumanUnits.counted(tracing.pids.count, "program", "programs")
                    : "probes slow "
                        + HumanUnits.counted(tracing.processesSlowed, "process", "processes")
                        + " by at most " + HumanUnits.percent(tracing.share) + " on average"),
            first: "",
            rest: "  "
        )
        return lines
    }

    // MARK: Words

    /// Returns the number of counted calls, and the interval of their true number if some were not
    /// counted.
    package static func calls(_ statement: WatchedStatement) -> String {
        let counted = HumanUnits.exact(statement.calls)
        guard let least = statement.leastCalls, let most = statement.mostCalls else {
            return counted
        }
        let interval = [least.rounded(.down), most.rounded(.up)].map(UInt64.init(bounded:))
        return "\(counted) of \(HumanUnits.exact(interval[0]))–\(HumanUnits.exact(interval[1]))"
    }

    package static func mean(_ statement: WatchedStatement) -> String {
        guard let mean = statement.mean else { return "" }
        guard let error = statement.meanError else {
            return "\(HumanUnits.duration(seconds: mean)) (1 timed)"
        }
        return error > 0
            ? "\(HumanUnits.duration(seconds: mean)) ± \(HumanUnits.duration(seconds: error))"
            : HumanUnits.duration(seconds: mean)
    }

    private static func shortened(_ text: String, width: Int) -> String {
        text.count <= width ? text : String(text.prefix(width - 1)) + "…"
    }

    /// Returns a process's name and ID, such as `python3 report.py (812)`.
    package static func process(_ name: String?, pid: Int32) -> String {
        name.map { "\($0) (\(pid))" } ?? "process \(pid)"
    }
}

extension WatchedBlock {
    /// For whom the statement waited.
    package var holderText: String {
        if isUpgrade == true { return "nobody: it had read" }
        guard let by else { return "unknown" }
        return by.pid == pid ? "the same process" : WatchStatementText.process(by.name, pid: by.pid)
    }

    /// A sentence that identifies the waiter and the blocker.
    public var sentence: String {
        let statement = { (sql: String?) in
            sql.map { "`" + ($0.count <= 80 ? $0 : String($0.prefix(79)) + "…") + "`" }
                ?? "a statement"
        }
        var text = "\(statement(sql)) of \(WatchStatementText.process(name, pid: pid)) "
        if isUpgrade == true {
            return text + "failed at once: its transaction had read, and another connection wrote"
        }
        text += failed ? "failed after waiting " : "waited "
        text += (isUpperBound ? "at most " : "") + HumanUnits.duration(seconds: seconds)
        guard let by else { return text + "; the holder of the lock is not known" }
        text +=
            by.pid == pid
            ? " for another connection of the same process"
            : " for \(WatchStatementText.process(by.name, pid: by.pid))"
        if by.isInferred { return text + ", which held the lock" }
        var facts: [String] = []
        if let sql = by.sql { facts.append("last ran \(statement(sql))") }
        if let open = by.transactionSeconds {
            facts.append("was open for \(HumanUnits.duration(seconds: open))")
        }
        if let idle = by.idleSeconds, idle >= 0.001 {
            facts.append("ran no statement for \(HumanUnits.duration(seconds: idle)) of the wait")
        }
        guard let last = facts.popLast() else { return text }
        text += ", whose transaction "
        if !facts.isEmpty {
            text += facts.joined(separator: ", ") + (facts.count > 1 ? ", and " : " and ")
        }
        return text + last
    }
}

/// A type that formats the settings of connections for ``WatchText``.
package enum WatchConnectionText {
    private static let limit = 20

    /// The connections of one program with the same settings.
    private struct Group {
        var connections: [WatchedConnection]

        var settings: ConnectionSettings { connections[0].settings }
    }

    /// Returns one line for each group of settings of a program, or an empty array if no
    /// connections are known.
    static func lines(of report: WatchReport) -> [String] {
        guard let connections = report.connections, !connections.isEmpty else { return [] }
        let programs = Dictionary(grouping: connections) { $0.name ?? "process \($0.pid)" }
            .sorted { ($0.value.count, $1.key) > ($1.value.count, $0.key) }
        var lines = [""]
        for (name, connections) in programs.prefix(limit) {
            let groups = groups(connections)
            for (index, group) in groups.prefix(limit).enumerated() {
                var about = connections[0].name == nil ? [] : [pids(group.connections)]
                if index == 0 { about += copy(connections, report: report) }
                let start =
                    count(group.connections.count) + " of \(name)"
                    + (about.isEmpty ? "" : " (\(about.joined(separator: "; ")))") + ": "
                let text =
                    index == 0
                    ? start + all(group.settings)
                    : start + changes(group.settings, since: groups[0].settings)
                lines += Paragraph.lines(text, first: "", rest: "  ")
            }
            if groups.count > limit { lines.append("  and \(groups.count - limit) more") }
        }
        if programs.count > limit {
            lines.append("and connections of \(programs.count - limit) more programs")
        }
        return lines + unseen(report)
    }

    /// Returns groups of equal settings, largest first.
    private static func groups(_ connections: [WatchedConnection]) -> [Group] {
        var groups: [Group] = []
        for connection in connections {
            if let index = groups.firstIndex(where: { $0.settings == connection.settings }) {
                groups[index].connections.append(connection)
            } else {
                groups.append(Group(connections: [connection]))
            }
        }
        // A stable order for equal sizes.
        return groups.enumerated().sorted {
            ($0.element.connections.count, $1.offset) > ($1.element.connections.count, $0.offset)
        }.map(\.element)
    }

    private static func count(_ count: Int) -> String {
        HumanUnits.counted(count, "connection", "connections")
    }

    private static let pidLimit = 4

    /// Returns the IDs of the processes with the connections.
    private static func pids(_ connections: [WatchedConnection]) -> String {
        let pids = Set(connections.map(\.pid)).sorted()
        let more = pids.count - pidLimit
        return pids.prefix(pidLimit).map(String.init).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    /// Returns the versions of SQLite, or nothing if one of them is unknown.
    private static func copy(
        _ connections: [WatchedConnection],
        report: WatchReport
    ) -> [String] {
        let pids = Set(connections.map(\.pid))
        let versions = Set((report.copies ?? []).filter { pids.contains($0.pid) }.map(\.version))
        let known = versions.compactMap { $0 }.sorted()
        guard !known.isEmpty, known.count == versions.count else { return [] }
        return ["SQLite \(known.joined(separator: ", "))"]
    }

    /// Values that almost all connections have, and that the text leaves out.
    private static let usual: [ConnectionSetting: String] = [
        .lockingMode: "normal", .sharedCache: "off", .readOnly: "off", .queryOnly: "off",
        .threading: "serialized",
    ]

    private static func all(_ settings: ConnectionSettings) -> String {
        let values = ConnectionSetting.allCases.map { ($0, $0.words(settings)) }
        let unknown = values.filter { $0.1 == nil }.map(\.0.rawValue)
        guard unknown.count < values.count else { return "settings unknown" }
        var parts = values.compactMap { setting, value in
            value == nil || value == usual[setting]
                ? nil : "\(setting.rawValue) \(value ?? "")"
        }
        if !unknown.isEmpty { parts.append("unknown: " + unknown.joined(separator: " and ")) }
        return parts.joined(separator: ", ")
    }

    private static func changes(
        _ settings: ConnectionSettings,
        since other: ConnectionSettings
    ) -> String {
        let values = ConnectionSetting.allCases.map { ($0, $0.words(settings)) }
        guard values.contains(where: { $0.1 != nil }) else { return "settings unknown" }
        let parts = values.filter { $0.1 != $0.0.words(other) }
            .map { "\($0.rawValue) \($1 ?? "unknown")" }
        return "the same, but " + parts.joined(separator: ", ")
    }

    /// Returns the numbers of open connections that have not executed a statement.
    private static func unseen(_ report: WatchReport) -> [String] {
        (report.copies ?? []).flatMap { copy -> [String] in
            let unseen = copy.unseenConnections
            guard unseen > 0 else { return [] }
            return Paragraph.lines(
                "\(count(unseen)) of \(WatchStatementText.process(copy.name, pid: copy.pid)) "
                    + (unseen == 1 ? "has" : "have")
                    + " executed no statement since tracing started; settings unknown",
                first: "",
                rest: "  "
            )
        }
    }
}
