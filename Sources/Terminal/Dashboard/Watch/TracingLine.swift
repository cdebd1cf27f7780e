import Findings
import SQLiteWatch
import TerminalUI
import Text

enum TracingLine {
    /// Returns the number of lost executions, the number of programs that are not visible, and the
    /// trace's overhead, which a narrow screen may cut.
    static func text(_ report: WatchReport?) -> String {
        guard let tracing = report?.tracing else { return "" }
        var parts: [String] = []
        if tracing.lost > 0 {
            let executions = tracing.lost == 1 ? "execution" : "executions"
            parts.append("\(HumanUnits.count(tracing.lost)) \(executions) lost")
        }
        if !tracing.notVisible.isEmpty { parts.append("\(tracing.notVisible.count) not visible") }
        if tracing.source == WatchedTracing.agentSource {
            let programs = HumanUnits.counted(tracing.pids.count, "program", "programs")
            parts.append("recorded by a library in \(programs)")
        } else {
            let slowed = HumanUnits.counted(tracing.processesSlowed, "process", "processes")
            let share = HumanUnits.percent(tracing.share)
            parts.append("slows \(slowed) by at most \(share) on average")
        }
        return parts.joined(separator: ", ")
    }

    /// Returns the reason that a screen is empty.
    static func reasonForEmptyScreen(_ report: WatchReport?) -> String {
        guard let report else { return "" }
        guard let tracing = report.tracing else {
            return report.notes.first { $0.hasPrefix("SQL is not shown") }
                ?? "waiting for the first report"
        }
        if let hidden = tracing.notVisible.first {
            return "\(hidden.name ?? "process") \(hidden.pid) is not visible: \(hidden.reason)"
        }
        return "no statements have been executed since the trace started"
    }
}
