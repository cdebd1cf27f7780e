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
                let indent = String(repeating: " ", count: 11)
                lines += Paragraph.lines(
                    Escaping.terminal(finding.text),
                    first: "  \(mark)" + indent.dropFirst(2 + mark.count),
                    rest: indent
                )
                if let remedy = finding.remedy {
                    lines += Paragraph.lines(
                        "→ " + Escaping.terminal(remedy),
                        first: indent,
                        rest: indent
                    )
                }
            }
        }
        if !notes.isEmpty { lines += ["", "notes"] }
        for note in notes {
            lines += Paragraph.lines(Escaping.terminal(note), first: "  ", rest: "  ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func title(_ part: Finding.Part) -> String {
        switch part {
        case .foreignKeys: "foreign keys"
        default: part.rawValue
        }
    }
}
