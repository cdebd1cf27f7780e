import Findings
import SQLiteWatch
import Text

/// The findings of `doctor --database`.
///
/// The property names are the JSON keys.
struct DatabaseExamination: Encodable {
    /// The name and version of the JSON format.
    static let currentSchema = "poolgauge.database/1"

    struct Finding: Encodable, Equatable {
        enum Part: String, Encodable, CaseIterable {
            case file
            case journal
            case space
            case processes
            case copy
            case statistics
            case foreignKeys
        }

        var part: Part
        var mark: Doctor.Mark
        var text: String
        var remedy: String?
    }

    /// The copy used for the checks that require SQLite.
    struct Copy: Encodable, Equatable {
        /// The size of the copy, in bytes, or `nil` without a copy.
        var bytes: UInt64?
        /// The reason that no copy was made.
        var skipped: String?
    }

    var schema = DatabaseExamination.currentSchema
    var file: WatchedFile
    var wal: WatchedWAL?
    var rollback: WatchedRollback?
    var processes: [WatchedProcess]
    var copy: Copy
    var findings: [Finding]
    /// The limitations of the examination, with remedies.
    var notes: [String]

    var hasProblem: Bool { findings.contains { $0.mark == .problem } }

    /// The report as text, with one paragraph per finding and a newline at the end.
    var text: String {
        var lines = [Escaping.terminal(file.path)]
        for part in Finding.Part.allCases {
            let partFindings = findings.filter { $0.part == part }
            guard !partFindings.isEmpty else { continue }
            lines += ["", Self.title(part)]
            for finding in partFindings {
                let mark = finding.mark.rawValue
                lines += Self.wrapped(
                    Escaping.terminal(finding.text),
                    first: "  \(mark)" + String(repeating: " ", count: 9 - mark.count)
                )
                if let remedy = finding.remedy {
                    lines += Self.wrapped(
                        "→ " + Escaping.terminal(remedy),
                        first: String(repeating: " ", count: 11)
                    )
                }
            }
        }
        if !notes.isEmpty { lines += ["", "notes"] }
        for note in notes { lines += Self.wrapped(Escaping.terminal(note), first: "  ") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func title(_ part: Finding.Part) -> String {
        switch part {
        case .foreignKeys: "foreign keys"
        default: part.rawValue
        }
    }

    private static let width = 100

    /// Wraps text, and indents continuation lines by the width of `first`.
    private static func wrapped(_ text: String, first: String) -> [String] {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: first.count)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
