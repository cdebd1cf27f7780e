import Findings
import SQLiteWatch
import TerminalUI
import Text

enum TracingLine {
    /// Returns the trace's overhead, the number of lost executions, and the number of
    /// programs that are not visible.
    static func text(_ report: WatchReport?) -> String {
        guard let tracing = report?.tracing else { return "" }
        let slowed = HumanUnits.counted(tracing.processesSlowed, "process", "processes")
        var parts = ["slows \(slowed) by at most \(HumanUnits.percent(tracing.share))"]
        if tracing.source == WatchedTracing.agentSource {
            let programs = HumanUnits.counted(tracing.pids.count, "program", "programs")
            parts = ["recorded by a library in \(programs)"]
        }
        if tracing.lost > 0 {
            let executions = tracing.lost == 1 ? "execution" : "executions"
            parts.append("\(HumanUnits.count(tracing.lost)) \(executions) lost")
        }
        if !tracing.notVisible.isEmpty { parts.append("\(tracing.notVisible.count) not visible") }
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
