/// The lines of a report on statements, transactions and waits; see ``WatchText``.
enum WatchStatementText {
    private static let limit = 20
    /// The columns of a statement's text.
    private static let textWidth = 58

    /// The lines; none unless SQL was traced.
    static func lines(of report: WatchReport) -> [String] {
        guard let tracing = report.tracing else { return [] }
        return statements(report) + transactions(report) + blocked(report) + notes(tracing)
    }

    private static func statements(_ report: WatchReport) -> [String] {
        guard let statements = report.statements, !statements.isEmpty else {
            return ["", "no statement was executed"]
        }
        let isTimed = statements.contains { $0.timed > 0 }
        var rows = [["calls", "calls/s", "busy", "waited"]]
        if isTimed { rows[0] += ["rows", "mean", "p99", "total"] }
        rows[0] += ["pids", "statement"]
        for statement in statements.prefix(limit) {
            var row = [
                WatchUnits.count(statement.calls), WatchUnits.decimal(statement.callsPerSecond),
                statement.busy == 0 ? "–" : WatchUnits.count(statement.busy),
                statement.waited == 0 ? "–" : WatchUnits.duration(statement.waited),
            ]
            if isTimed {
                row += [
                    statement.rows.map(WatchUnits.decimal) ?? "",
                    mean(statement), statement.p99.map(short) ?? "",
                    statement.seconds.map(WatchUnits.duration) ?? "",
                ]
            }
            let values = statement.values.map { " -- " + $0.joined(separator: ", ") } ?? ""
            row += [
                statement.pids.count == 1
                    ? String(statement.pids[0]) : "\(statement.pids.count) processes",
                cut(statement.sql) + values,
            ]
            rows.append(row)
        }
        let more = statements.count - limit
        return [""] + WatchText.table(rows) + (more > 0 ? ["and \(more) more"] : [])
    }

    private static func transactions(_ report: WatchReport) -> [String] {
        let transactions = report.transactions ?? []
        guard !transactions.isEmpty else { return [] }
        var rows = [
            ["transaction of", "state", "for", "statements", "longest gap", "last statement"]
        ]
        let open = transactions.filter(\.open)
        for transaction in open.prefix(limit) + transactions.filter({ !$0.open }).prefix(5) {
            rows.append([
                who(transaction.name, transaction.pid),
                (transaction.open ? "open" : "ended") + (transaction.writes ? ", writes" : ""),
                WatchUnits.duration(transaction.seconds), WatchUnits.count(transaction.statements),
                WatchUnits.duration(transaction.longestGapSeconds),
                cut(transaction.sql ?? "?"),
            ])
        }
        return [""] + WatchText.table(rows)
    }

    private static func blocked(_ report: WatchReport) -> [String] {
        guard let blocks = report.blocked, !blocks.isEmpty else { return [] }
        let lines = blocks.prefix(limit).flatMap { block in
            WatchText.wrapped(block.sentence, first: "▲ ", rest: "  ")
        }
        let more = blocks.count - limit
        return [""] + lines + (more > 0 ? ["and \(more) more waits"] : [])
    }

    private static func notes(_ tracing: WatchedTracing) -> [String] {
        var notes: [String] = tracing.notVisible.map { hidden in
            "the SQL of \(who(hidden.name, hidden.pid)) is not visible: \(hidden.reason)"
        }
        if tracing.lost > 0 {
            notes.append(
                "\(WatchUnits.count(tracing.lost, "event")) were lost: all counts are lower bounds"
            )
        }
        if tracing.unknownTexts > 0 {
            notes.append(
                "the text of \(WatchUnits.count(tracing.unknownTexts, "execution")) was not readable"
            )
        }
        notes += tracing.notes
        let cost = tracing.secondsPerEvent.map { ", \(short($0)) each" } ?? ""
        var lines = [""]
        for note in notes { lines += WatchText.wrapped(note, first: "note: ", rest: "      ") }
        lines += WatchText.wrapped(
            "SQL \(tracing.level): \(WatchUnits.count(tracing.events, "event")) in "
                + "\(WatchUnits.duration(tracing.seconds))\(cost); probes slow "
                + "\(tracing.processesSlowed) process\(tracing.processesSlowed == 1 ? "" : "es") by at most "
                + WatchUnits.percent(tracing.share),
            first: "",
            rest: "  "
        )
        return lines
    }

    // MARK: Words

    private static func mean(_ statement: WatchedStatement) -> String {
        guard let mean = statement.mean else { return "" }
        guard let error = statement.meanError else { return "\(short(mean)) (1 timed)" }
        return error > 0 ? "\(short(mean)) ± \(short(error))" : short(mean)
    }

    /// A time that may be below a millisecond.
    private static func short(_ seconds: Double) -> String {
        guard seconds < 0.001 else { return WatchUnits.duration(seconds) }
        return WatchUnits.decimal(seconds * 1e6) + " µs"
    }

    private static func cut(_ text: String) -> String {
        text.count <= textWidth ? text : String(text.prefix(textWidth - 1)) + "…"
    }

    fileprivate static func who(_ name: String?, _ pid: Int32) -> String {
        name.map { "\($0) (\(pid))" } ?? "process \(pid)"
    }
}

extension WatchedBlock {
    /// Who waited for whom, in one sentence.
    public var sentence: String {
        let statement = { (sql: String?) in
            sql.map { "`" + ($0.count <= 80 ? $0 : String($0.prefix(79)) + "…") + "`" }
                ?? "a statement"
        }
        var text = "\(statement(sql)) of \(WatchStatementText.who(name, pid)) "
        text += failed ? "failed after it waited " : "waited "
        text += (isUpperBound ? "at most " : "") + WatchUnits.duration(seconds)
        guard let by else { return text + "; the blocker was not traced" }
        text += " for \(WatchStatementText.who(by.name, by.pid))"
        if by.isInferred { return text + ", which held the lock" }
        if let sql = by.sql { text += ", whose transaction last ran \(statement(sql))" }
        if let open = by.transactionSeconds {
            text += " and was open for \(WatchUnits.duration(open))"
        }
        if let idle = by.idleSeconds, idle >= 0.001 {
            text += ", idle for \(WatchUnits.duration(idle)) of the wait"
        }
        return text
    }
}
