import Telemetry
import Text

/// The rules that find what is unusual in a report, and its remedy.
///
/// A rule is a function of the report's facts, so each display of a report, and each recording of
/// it, shows the same findings. To add a rule, write its function next to related rules and add it
/// to ``rules``.
package enum FindingRules {
    typealias Rule = @Sendable (FindingFacts) -> [Finding]

    /// All rules.
    ///
    /// Findings of one level keep this order.
    private static let rules: [Rule] = [
        FileRules.strayFiles, FileRules.hotJournal, SettingRules.twoCopies, FileRules.hiddenUsers,
        FileRules.hiddenLocks,
        FailureRules.upgrades, FailureRules.timeouts, FailureRules.otherFailures,
        HolderRules.selfWaits, HolderRules.holders, HolderRules.checkpoints,
        HolderRules.repeatedHolds,
        HolderRules.endedEpisodes, LogRules.largeTransaction, LogRules.pinned,
        LogRules.overlapping, LogRules.missingCheckpoint, LogRules.largeLog, LogRules.leftover,
        StatementRules.longStatements, StatementRules.waits, StatementRules.repeated,
        StatementRules.slowStatements, CounterRules.fullScans, CounterRules.automaticIndexes,
        StatementRules.smallTransactions, SettingRules.inactivePragmas, SettingRules.cacheMemory,
        SettingRules.missingTimeouts, SettingRules.differences, CounterRules.preparations,
        SettingRules.resetBug,
        ProcessRules.inheritedConnections, ProcessRules.otherDescriptors, ProcessRules.orphans,
    ]

    /// Returns all findings, most important first, or an empty array if nothing is unusual.
    static func findings(in report: WatchReport) -> [Finding] {
        var facts = FindingFacts(report)
        let unavailable = FileRules.unavailable(facts)
        var found = unavailable
        // Only a file that a process still uses is of interest if the path cannot be read.
        for rule in unavailable.isEmpty ? rules : [FileRules.strayFiles] {
            let new = rule(facts)
            // A later rule does not repeat what an earlier one says about the same process.
            facts.explained.formUnion(new.filter(\.explainsWaits).compactMap(\.pid))
            found += new
        }
        return Finding.bySeverity(found)
    }

    /// Returns the statement that nothing unusual was observed, and what was not observed.
    static func nothing(in report: WatchReport) -> Finding {
        var missing: [String] = []
        if report.tracing == nil {
            missing.append("SQL, and with it statements that fail at once (add --sql, as root)")
        } else if let hidden = report.tracing?.notVisible.count, hidden > 0 {
            missing.append(
                hidden == 1 ? "the SQL of 1 program" : "the SQL of \(hidden) programs"
            )
        }
        if let hidden = report.hiddenProcesses, hidden > 0 {
            missing.append(
                hidden == 1
                    ? "the open files of 1 process" : "the open files of \(hidden) processes"
            )
        }
        if report.hasHiddenHolder == true { missing.append("a process that holds a lock") }
        let time = FindingFacts.duration(report.window.seconds)
        let text = "Nothing unusual was observed in \(time)."
        guard !missing.isEmpty else { return Finding(.nothing, text) }
        return Finding(.nothing, text + " Not observed: \(missing.joined(separator: ", ")).")
    }
}

extension Finding {
    /// Whether the finding names the cause of other processes' waits for its process.
    fileprivate var explainsWaits: Bool {
        switch kind {
        case .busy, .selfWait, .exclusive, .longWriter, .checkpointWaits: true
        default: false
        }
    }
}

extension WatchReport {
    /// Applies all rules to the facts of the report.
    ///
    /// Call this method after changing facts.
    public mutating func updateFindings() {
        findings = FindingRules.findings(in: self)
        verdict = findings.first ?? FindingRules.nothing(in: self)
    }
}
