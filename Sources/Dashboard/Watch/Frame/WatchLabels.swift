import Findings
import SQLiteWatch
import TerminalUI
import Text

enum WatchLabels {
    /// Returns the label of a process.
    ///
    /// The process ID comes first, so narrow columns do not truncate it.
    static func process(_ name: String, _ pid: Int32) -> String { "\(pid) \(name)" }

    /// Formats a duration, such as `430 ms`, `12.3 s`, or `2m 05s`.
    static func duration(_ seconds: Double) -> String { HumanUnits.duration(seconds: seconds) }

    /// Formats the hold time of a lock, such as `≥ 12.3 s`.
    ///
    /// If the lock may have been released between two samples, the text is, for example,
    /// `~ 12.3 s`.
    static func held(_ lock: WatchedLock, isASCII: Bool) -> String {
        let atLeast = isASCII ? ">=" : "≥"
        // A single sample has shown the lock.
        guard lock.seconds > 0 else { return "\(atLeast) 0 s" }
        let sign = lock.isContinuous ? atLeast : "~"
        return "\(sign) \(duration(lock.seconds))"
    }

    /// Formats a share and its error as percentages, such as `12.3 ±1.6`.
    static func share(_ estimate: WatchedEstimate, isASCII: Bool) -> String {
        guard estimate.value > 0 else { return "" }
        let value = estimate.value >= 0.9995 ? "100" : decimal(estimate.value * 100)
        return "\(value) \(isASCII ? "+-" : "±")\(decimal(estimate.error * 100))"
    }

    /// Formats a number with one decimal place.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        let tenths = Int((min(max(value, 0), 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    static func name(ofPath path: String) -> String {
        Escaping.terminal(path.split(separator: "/").last.map(String.init) ?? path)
    }

    /// Formats a time of day in UTC, such as `12:04:31`.
    static func clock(_ time: WatchTime) -> String {
        let day: Int64 = 86_400_000
        let secondsOfDay = ((time.milliseconds % day) + day) % day / 1000
        func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        let parts = [secondsOfDay / 3600, secondsOfDay / 60 % 60, secondsOfDay % 60]
        return parts.map(twoDigits).joined(separator: ":")
    }

    /// Returns the journal mode, or the reason that the file cannot be read.
    static func mode(_ file: WatchedFile) -> String {
        switch file.state {
        case .present: file.journalMode == .wal ? "WAL" : "rollback"
        case .empty: "empty"
        case .missing: "missing"
        case .notADatabase: "not SQLite"
        case .unreadable: "unreadable"
        }
    }

    static func name(of kind: WatchEpisode.Kind) -> String {
        switch kind {
        case .writer: "write lock"
        case .checkpoint: "checkpoint"
        case .pin: "pin"
        case .exclusive: "exclusive lock"
        }
    }

    static func role(_ kind: WatchEpisode.Kind) -> Role {
        switch kind {
        case .writer, .exclusive: .writer
        case .checkpoint: .committing
        case .pin: .snapshot
        }
    }
}
