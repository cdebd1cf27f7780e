import SQLiteWatch
import Synchronization
import Telemetry
import TerminalUI
import Text

/// A reporter that shows a command's progress on standard error.
final class ProgressReporter: Sendable {
    private enum Style {
        case silent
        /// One line that each update overwrites.
        case live
        /// One line per second, for output to a file.
        case log
    }

    private struct State {
        /// The length of the displayed progress line, in characters.
        var shownLength = 0
        /// The second of the last log line.
        var lastSecond = -1
        var message = ""
    }

    private let style: Style
    private let state = Mutex(State())

    init(_ mode: ProgressMode) {
        let isTerminal = StandardError.isTerminal
        switch mode {
        case .never: style = .silent
        case .auto: style = isTerminal ? .live : .silent
        case .always: style = isTerminal ? .live : .log
        }
    }

    func showStep(_ message: String) {
        if style == .silent { return }
        state.withLock { state in
            guard message != state.message else { return }
            state.message = message
            state.lastSecond = -1
            show(message, state: &state)
        }
    }

    func show(_ sample: Sample) {
        if style == .silent || sample.state == .preparing { return }
        state.withLock { state in
            let second = Int(sample.time)
            if style == .log, second == state.lastSecond { return }
            state.lastSecond = second
            show(Self.line(sample), state: &state)
        }
    }

    /// Writes a message, even if progress is hidden.
    func announce(_ message: String) {
        state.withLock { state in
            let blank = style == .live && state.shownLength > 0 ? "\r\u{1B}[K" : ""
            let text = Escaping.terminalLines(message)
            StandardError.write("\(blank)poolgauge: \(text)\n")
            state.shownLength = 0
        }
    }

    func finish() {
        state.withLock { state in
            if style == .live, state.shownLength > 0 { StandardError.write("\r\u{1B}[K") }
            state.shownLength = 0
        }
    }

    private func show(_ message: String, state: inout State) {
        let line = Escaping.terminal(message)
        if style == .log {
            StandardError.write(line + "\n")
            return
        }
        // A wrapped line cannot be overwritten, so limit the line to 80 columns.
        let text = String(line.prefix(78))
        state.shownLength = text.count
        StandardError.write("\r\(text)\u{1B}[K")
    }

    private static func line(_ sample: Sample) -> String {
        let throughput = sample.clients.reduce(0) { $0 + $1.throughput }
        let waiting =
            sample.database.waitingReaders.count + sample.database.waitingWriters.count
        var line = "\(sample.arm)  \(sample.phase)  \(Int(sample.time))"
        if let planned = sample.plannedDuration { line += "/\(Int(planned.rounded()))" }
        line += " s  \(HumanUnits.count(UInt64(max(0, throughput)))) accesses/s"
        if waiting > 0 { line += "  \(waiting) waiting" }
        if sample.state == .draining { line += "  draining" }
        return line
    }
}
