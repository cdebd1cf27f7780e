import Reports
import Telemetry
import Text
import WorkloadEngine

extension RehearsalReport {
    /// The report as text, ending with a line feed.
    package var text: String {
        var lines = [headline]
        if let failure { lines.append("  " + failure) }
        let parts = [
            overview, statementLines, clientLines, spaceLines, interruptionLines, checkLines,
            batchedLines, limitLines, noteLines,
        ]
        for part in parts where !part.isEmpty { lines += [""] + part }
        return lines.map(Escaping.terminal).joined(separator: "\n") + "\n"
    }

    private var headline: String {
        let word =
            switch status {
            case ExitStatus.passed.rawValue: "REHEARSED"
            case ExitStatus.thresholdMissed.rawValue: "LIMIT MISSED"
            case ExitStatus.undecided.rawValue: "UNDECIDED"
            default: "FAILED"
            }
        var times: [String] = []
        if let alone { times.append("\(ReportUnits.time(alone.duration)) alone") }
        if let underLoad { times.append("\(ReportUnits.time(underLoad.duration)) under load") }
        let mode = journalMode.isEmpty ? "" : " (\(journalMode))"
        return "\(word)  \(migration) on \(database)\(mode)"
            + (times.isEmpty ? "" : ": " + times.joined(separator: ", "))
    }

    /// The executions with their titles.
    private var runs: [(title: String, run: Run)] {
        [
            ("alone", alone), ("under load", underLoad), ("batched", batched?.alone),
            ("batched, load", batched?.underLoad),
        ]
        .compactMap { title, run in run.map { (title, $0) } }
    }

    private var overview: [String] {
        guard !runs.isEmpty else { return [] }
        var table = TextTable([""] + runs.map(\.title))
        func add(_ title: String, _ value: (Run) -> String) {
            table.add([title] + runs.map { value($0.run) })
        }
        func time(_ nanoseconds: UInt64, run: Run) -> String {
            // A hold that is shorter than the time between two checks may have been missed.
            nanoseconds == 0
                ? "< \(ReportUnits.time(max(run.locks.resolution, 1_000_000)))"
                : ReportUnits.time(nanoseconds)
        }
        add("duration") { ReportUnits.time($0.duration) }
        add("others cannot write, longest") { time($0.locks.longestWriteHold, run: $0) }
        add("others cannot write, total") { time($0.locks.totalWriteHold, run: $0) }
        add("others cannot read, longest") { time($0.locks.longestReadBlock, run: $0) }
        add("database, before") { ReportUnits.bytes($0.space.databaseBefore) }
        add("database, peak") { ReportUnits.bytes($0.space.database) }
        add("write-ahead log, peak") { ReportUnits.bytes($0.space.wal) }
        add("rollback journal, peak") { ReportUnits.bytes($0.space.journal) }
        add("temporary files, peak") { ReportUnits.bytes($0.space.temporary) }
        return table.lines(indent: "  ")
    }

    private var statementLines: [String] {
        guard let run = underLoad ?? alone else { return [] }
        var table = TextTable(["line", "duration", "cannot write", "cannot read", "rows", ""])
        for (index, statement) in statements.enumerated() {
            guard index < run.steps.count else {
                let isFailed = index == run.steps.count && run.failure != nil
                table.add(["\(statement.line)", isFailed ? "failed" : "–", "–", "–", "–", ""])
                continue
            }
            let step = run.steps[index]
            table.add([
                "\(statement.line)", ReportUnits.time(step.duration),
                Self.hold(step.longestWriteHold), Self.hold(step.longestReadBlock),
                HumanUnits.exact(step.changes), "",
            ])
        }
        // The texts are aligned to the left, unlike the columns of a table.
        let texts = [""] + statements.map(\.text)
        var lines = ["statements" + (underLoad == nil ? "" : " (under load)")]
        lines += zip(table.lines(indent: "  "), texts).map { $0 + ($1.isEmpty ? "" : "  " + $1) }
        if let failure = run.failure {
            lines += Paragraph.lines(
                "line \(failure.line) failed: \(failure.message) (\(failure.code)). "
                    + Self.remains(failure.committedStatements, of: statements.count),
                first: "  ",
                rest: "  "
            )
        }
        return lines
    }

    /// Returns the time of a hold, or a dash if no check found one.
    private static func hold(_ nanoseconds: UInt64) -> String {
        nanoseconds == 0 ? "–" : ReportUnits.time(nanoseconds)
    }

    /// Returns a sentence about the statements that are committed.
    private static func remains(_ count: Int, of total: Int) -> String {
        switch count {
        case 0: "No change of the migration remains."
        case total: "All changes of the migration remain."
        default:
            "The changes of the first \(count) of \(total) statements remain, and the others are "
                + "rolled back."
        }
    }

    // MARK: Clients

    private var clientLines: [String] {
        guard let load, let periods = underLoad?.periods, !periods.isEmpty else { return [] }
        var lines = ["clients of \(load.scenario), arm \(load.arm)"]
        lines += Self.table(of: periods).lines(indent: "  ")
        if let batched = batched?.underLoad?.periods?.filter({ $0.name == "during" }) {
            lines +=
                ["clients during the batches"]
                + Self.table(of: batched).lines(indent: "  ")
        }
        return lines
    }

    private static func table(of periods: [LoadPeriods.Period]) -> TextTable {
        var table = TextTable(["client", "completed", "failed", "p50", "p99", "max"])
        let names = Set(periods.flatMap(\.clients.keys)).sorted()
        for name in names {
            for period in periods {
                guard let client = period.clients[name] else { continue }
                let failed =
                    client.errorCount == 0
                    ? "0"
                    : client.errors.sorted { $0.key < $1.key }
                        .map { "\(HumanUnits.exact($0.value)) \($0.key)" }.joined(separator: ", ")
                table.add([
                    "\(name), \(period.name)", HumanUnits.exact(client.completed), failed,
                    ReportUnits.time(client.response?.p50), ReportUnits.time(client.response?.p99),
                    ReportUnits.time(client.response?.max),
                ])
            }
        }
        return table
    }

    // MARK: Space, interruption, and integrity

    private var spaceLines: [String] {
        guard let space else { return [] }
        var line =
            "space: the database, its log, and its journal grow by up to "
            + ReportUnits.bytes(space.needed)
        line += space.free.map { "; \(ReportUnits.bytes($0)) are free" } ?? ""
        if space.temporary > 0 {
            line += "; temporary files need \(ReportUnits.bytes(space.temporary))"
            if let folder = space.temporaryFolder { line += " in \(folder)" }
            if !space.isShared, let free = space.temporaryFree {
                line += ", where \(ReportUnits.bytes(free)) are free"
            }
        }
        if space.suffices == false {
            line += ". This does not suffice: free some space, or use a migration that needs less"
        }
        return Paragraph.lines(line + ".", first: "", rest: "  ")
    }

    private var interruptionLines: [String] {
        guard let interruption else { return [] }
        var lines: [String] = []
        if let outcome = interruption.interrupted {
            lines += paragraph(
                outcome,
                verb: "interrupted",
                recovery: outcome.recoveryTime.map { "It stopped after \(ReportUnits.time($0))." }
            )
        }
        if let outcome = interruption.killed {
            lines += paragraph(
                outcome,
                verb: "killed",
                recovery: outcome.recoveryTime.map {
                    "The next connection needed \(ReportUnits.time($0)) to open the database."
                }
            )
        }
        return lines
    }

    private func paragraph(
        _ outcome: Interruption.Outcome,
        verb: String,
        recovery: String?
    ) -> [String] {
        var text = "\(verb) after \(ReportUnits.time(outcome.after)): "
        if outcome.wasComplete {
            text += "the migration was already complete."
        } else {
            text += [
                Self.remains(outcome.committedStatements, of: statements.count), recovery,
                outcome.remainingWAL > 0
                    ? "A log of \(ReportUnits.bytes(outcome.remainingWAL)) remained." : nil,
                outcome.remainingJournal > 0
                    ? "A journal of \(ReportUnits.bytes(outcome.remainingJournal)) remained." : nil,
                outcome.problems.map { problems in
                    problems.isEmpty
                        ? "The database is intact."
                        : "The database is damaged: \(problems.joined(separator: "; "))."
                },
            ]
            .compactMap(\.self).joined(separator: " ")
        }
        return Paragraph.lines(text, first: "", rest: "  ")
    }

    private var checkLines: [String] {
        guard let checks = (underLoad ?? alone)?.checks else { return [] }
        let integrity =
            checks.isIntact
            ? "integrity: the database is intact"
            : "integrity: the database is damaged\(original?.isIntact == false ? ", as before" : ""): "
                + checks.problems.joined(separator: "; ")
        let earlier = original?.foreignKeyViolations ?? [:]
        let violations = checks.foreignKeyViolations.sorted { $0.key < $1.key }.map {
            "\(HumanUnits.exact($0.value)) rows of \($0.key) "
                + "(before: \(HumanUnits.exact(earlier[$0.key] ?? 0)))"
        }
        let keys =
            violations.isEmpty
            ? "no row violates a foreign key"
            : "\(violations.joined(separator: " and ")) violate foreign keys"
        return Paragraph.lines("\(integrity), and \(keys).", first: "", rest: "  ")
    }

    // MARK: Batches, limits, and notes

    private var batchedLines: [String] {
        guard let batched else { return [] }
        let limit = ReportUnits.time(batched.maximumHold)
        var lines: [String] = []
        if !batched.statements.isEmpty {
            let numbers = batched.statements.map { String($0.line) }.joined(separator: ", ")
            let run = batched.underLoad ?? batched.alone
            var text = "batches: line \(numbers) can be divided into short transactions"
            if let run {
                text +=
                    run.failure.map { "; as measured, this fails: \($0.message)" }
                    ?? ("; as measured, the longest one prevents writes for "
                        + "\(ReportUnits.time(run.locks.longestWriteHold)) (the aim is \(limit))")
            }
            switch batched.isEqual {
            case true?:
                text += ". Alone, all tables have the same rows as without batches"
            case false?:
                text +=
                    ". Alone, the rows of \(batched.differences.joined(separator: ", ")) differ "
                    + "from those without batches, so do not use it"
            case nil: break
            }
            if let script = batched.script { text += ". The program is in \(script)" }
            lines += Paragraph.lines(text + ".", first: "", rest: "  ")
            if batched.script == nil {
                lines.append("  To get the program, repeat the command with --write-batched FILE.")
            }
        }
        for remainder in batched.remainders {
            lines += Paragraph.lines(
                "line \(remainder.line) prevents writes for more than \(limit): "
                    + remainder.reason + ".",
                first: "",
                rest: "  "
            )
        }
        for note in batched.notes { lines += Paragraph.lines(note, first: "  ", rest: "  ") }
        return lines
    }

    private var limitLines: [String] {
        limits.map { limit in
            let verdict = limit.passed.map { $0 ? "met" : "missed" } ?? "not measured"
            return "limit --\(limit.name) \(ReportUnits.time(limit.limit)): \(verdict)"
                + (limit.observed.map { " (\(ReportUnits.time($0)))" } ?? "")
        }
    }

    private var noteLines: [String] {
        notes.flatMap { Paragraph.lines($0, first: "note: ", rest: "  ") }
    }

    // MARK: JUnit

    /// The report as JUnit XML, with a test case for each run, each check, and each limit.
    package var junit: String {
        var cases = runs.map { title, run in
            JUnitReport.Case(
                name: title,
                outcome: run.failure.map { .error("line \($0.line): \($0.message) (\($0.code))") }
                    ?? .passed,
                output: "duration \(ReportUnits.time(run.duration)), others cannot write for "
                    + "\(ReportUnits.time(run.locks.longestWriteHold)) and cannot read for "
                    + ReportUnits.time(run.locks.longestReadBlock)
            )
        }
        if let failure { cases.insert(.init(name: "rehearsal", outcome: .error(failure)), at: 0) }
        for (title, run) in runs {
            guard let checks = run.checks else { continue }
            cases.append(
                JUnitReport.Case(
                    name: "integrity, \(title)",
                    outcome: checks.isIntact
                        ? .passed : .failure("integrity", checks.problems.joined(separator: "; "))
                )
            )
        }
        if let suffices = space?.suffices {
            let text = spaceLines.joined(separator: " ")
            cases.append(
                .init(name: "space", outcome: suffices ? .passed : .failure("space", text))
            )
        }
        for limit in limits {
            let observed = limit.observed.map { "observed \(ReportUnits.time($0))" }
            cases.append(
                JUnitReport.Case(
                    name: "\(limit.name) <= \(ReportUnits.time(limit.limit))",
                    outcome: limit.passed == true
                        ? .passed
                        : .failure("limit", observed ?? "not measured, because the run failed"),
                    output: observed
                )
            )
        }
        let total = runs.reduce(0) { $0 + Double($1.run.duration) / 1e9 }
        return JUnitReport.text(suite: "\(migration) on \(database)", seconds: total, cases)
    }
}
