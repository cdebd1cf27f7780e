import Text

/// The result of `poolgauge check`.
package struct CheckReport: Sendable, Codable, Equatable {
    /// A rule, and why it could not be applied, if it could not.
    package struct Rule: Sendable, Codable, Equatable {
        package var rule: CheckRule
        package var level: CheckRule.Level
        package var limits: [String: Double]
        /// The number of findings.
        package var findings: Int
        package var notApplied: String?
    }

    /// The findings that are known and let no check fail.
    package struct Baseline: Sendable, Codable, Equatable {
        package var file: String
        /// Whether this check has written the file.
        package var isWritten: Bool
        /// The number of its findings that this check did not find.
        package var missing: Int

        package init(file: String, isWritten: Bool, missing: Int) {
            self.file = file
            self.isWritten = isWritten
            self.missing = missing
        }
    }

    package var schema = "poolgauge.check/1"
    package var command: [String]
    /// The exit status of the command, or 128 plus the number of the signal that ended it.
    package var commandStatus: Int32
    /// The exit status of the check.
    package var status: Int32
    package var seconds: Double
    package var executions: UInt64
    package var programs: Int
    package var databases: Int
    package var findings: [CheckFinding]
    package var rules: [Rule]
    package var baseline: Baseline?
    /// What was not visible or not listed.
    package var notes: [String]

    /// The status of a check that fails.
    package static let failure: Int32 = 3

    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - commandStatus: The exit status of the command.
    ///   - seconds: The time that the command took, in seconds.
    ///   - findings: The findings, in any order.
    ///   - settings: The settings of the rules.
    ///   - notApplied: A closure that returns why a rule could not be applied, or `nil` if it was.
    package init(
        command: [String],
        commandStatus: Int32,
        seconds: Double,
        findings: [CheckFinding],
        settings: CheckSettings,
        notApplied: (CheckRule) -> String?
    ) {
        self.command = command
        self.commandStatus = commandStatus
        self.seconds = seconds
        // Levels first, in the order of the rules otherwise.
        self.findings = [CheckRule.Level.error, .warning, .note].flatMap { level in
            findings.filter { $0.level == level }
        }
        executions = 0
        programs = 0
        databases = 0
        notes = []
        status = 0
        rules = CheckRule.allCases.map { rule in
            let level = settings[level: rule]
            return Rule(
                rule: rule,
                level: level,
                limits: Dictionary(
                    uniqueKeysWithValues: rule.limits.map {
                        ($0.key.rawValue, settings[rule, $0.key])
                    }
                ),
                findings: findings.count { $0.rule == rule },
                notApplied: level == .off ? "it is off" : notApplied(rule)
            )
        }
    }

    /// Decides the exit status.
    package mutating func decide() {
        let isFailed = findings.contains(where: \.fails)
        status = commandStatus != 0 ? commandStatus : isFailed ? Self.failure : 0
    }
}

// MARK: Text

extension CheckReport {
    /// The report as lines of at most 100 characters.
    package var text: String {
        var lines = [""]
        lines += Paragraph.lines("poolgauge check: " + summary, first: "", rest: "  ")
        for finding in findings where finding.isNew != false || isRecorded {
            lines += [""] + Self.lines(of: finding)
        }
        let known = isRecorded ? 0 : findings.count { $0.isNew == false }
        if known > 0 {
            let those = HumanUnits.counted(known, "known finding")
            let file = baseline.map { Escaping.terminal($0.file) } ?? ""
            lines.append("")
            lines += Paragraph.lines("\(those) in \(file), not listed.", first: "", rest: "  ")
        }
        let reasons = Dictionary(grouping: rules.filter { $0.notApplied != nil }) {
            $0.notApplied ?? ""
        }
        if !reasons.isEmpty { lines.append("") }
        for (reason, rules) in reasons.sorted(by: { $0.key < $1.key }) {
            let names = rules.map(\.rule.rawValue).joined(separator: ", ")
            let text =
                rules.count == CheckRule.allCases.count
                ? "Nothing was checked: " + reason : "Not checked: \(names) (\(reason))"
            lines += Paragraph.lines(Escaping.terminal(text) + ".", first: "", rest: "  ")
        }
        for note in notes {
            lines += Paragraph.lines("Note: \(Escaping.terminal(note)).", first: "", rest: "  ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The result in one or two sentences.
    package var summary: String {
        guard executions > 0 else { return "no statement was seen." + ending }
        let new = findings.filter { $0.isNew != false || isRecorded }
        let failing = new.count(where: \.level.fails)
        let noun = baseline == nil || isRecorded ? "finding" : "new finding"
        var text =
            failing == 0
            ? "no \(noun)s" : HumanUnits.counted(failing, noun)
        if new.count > failing { text += " and \(HumanUnits.counted(new.count - failing, "note"))" }
        text +=
            " in \(HumanUnits.exact(executions, "execution")) of "
            + "\(HumanUnits.counted(programs, "program")) on "
            + "\(HumanUnits.counted(databases, "database file"))."
        return text + ending
    }

    /// Whether the baseline now contains all findings.
    private var isRecorded: Bool { baseline?.isWritten == true }

    private var ending: String {
        var text = ""
        if commandStatus != 0 { text += " The command ended with status \(commandStatus)." }
        guard let baseline else { return text }
        let file = Escaping.terminal(baseline.file)
        if baseline.isWritten {
            text += " All are now in \(file), and later checks fail only on others."
        } else if baseline.missing > 0 {
            let those = HumanUnits.counted(baseline.missing, "finding")
            text += " \(those) of \(file) did not occur; --update-baseline removes them."
        }
        return text
    }

    private static func lines(of finding: CheckFinding) -> [String] {
        let mark =
            switch finding.level {
            case .error: "✖"
            case .warning: "▲"
            case .note, .off: "•"
            }
        var lines = [
            "\(mark) \(finding.rule.rawValue) (\(finding.level.rawValue)), \(times(finding))"
        ]
        if let sql = finding.statement {
            lines += paragraph(shortened(sql))
        }
        if let place = place(of: finding) { lines += paragraph("in " + place) }
        lines += paragraph(finding.text)
        if let remedy = finding.remedy {
            lines += Paragraph.lines(Escaping.terminal(remedy), first: "  → ", rest: "    ")
        }
        return lines.flatMap(Self.broken)
    }

    private static func paragraph(_ text: String) -> [String] {
        Paragraph.lines(Escaping.terminal(text), first: "    ", rest: "    ")
    }

    /// Breaks a line with a long word, such as a path.
    private static func broken(_ line: String) -> [String] {
        guard line.count > width else { return [line] }
        var rest = Substring(line)
        var lines: [String] = []
        while rest.count > width {
            lines.append(String(rest.prefix(width)))
            rest = "    " + rest.dropFirst(width)
        }
        return lines + [String(rest)]
    }

    private static let width = 100
    private static let statementLength = 400

    private static func shortened(_ sql: String) -> String {
        sql.count <= statementLength ? sql : String(sql.prefix(statementLength - 1)) + "…"
    }

    private static func times(_ finding: CheckFinding) -> String {
        HumanUnits.exact(finding.count, "time")
    }

    /// Returns where a finding occurred first.
    private static func place(of finding: CheckFinding) -> String? {
        let program = finding.program.map { name in
            finding.pid.map { "\(name) (\($0))" } ?? name
        }
        let others =
            finding.files > 1
            ? " and \(HumanUnits.counted(finding.files - 1, "other database"))" : ""
        let file = finding.file.map { $0 + others }
        let parts = [program, file].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The findings as commands of GitHub Actions, which shows them as annotations
    /// (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).
    package var annotations: String {
        findings.filter { $0.isNew != false }.map { finding in
            let kind =
                switch finding.level {
                case .error: "error"
                case .warning: "warning"
                case .note, .off: "notice"
                }
            let lines = [
                finding.statement, Self.place(of: finding), finding.text, finding.remedy,
            ].compactMap(\.self)
            let message = Escaping.annotation(
                lines.map(Escaping.terminal).joined(separator: "\n"),
                isProperty: false
            )
            let title = Escaping.annotation(
                "poolgauge: \(finding.rule.rawValue), \(Self.times(finding))",
                isProperty: true
            )
            return "::\(kind) title=\(title)::\(message)\n"
        }.joined()
    }
}
