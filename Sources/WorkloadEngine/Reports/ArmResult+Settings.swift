extension ArmResult {
    /// The journal mode and `synchronous` setting in effect, and the arm's `busy` setting, such as
    /// `journal_mode wal, synchronous normal, busy timeout 5.00 s`, or `nil` if none is known.
    var journalSettings: String? {
        let known = ["journal_mode", "synchronous", "busy"].compactMap { name in
            environment[name].map { "\(name) \($0)" }
        }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}

/// Formats the settings of several arms for a report.
enum ArmSettings {
    /// Returns one line, such as `queue: journal_mode delete, synchronous full; pool: …`, or an
    /// empty array if no arm's settings are known.
    static func lines(_ settings: [(arm: String, text: String?)]) -> [String] {
        let known = settings.compactMap { arm, text in text.map { "\(arm): \($0)" } }
        return known.isEmpty ? [] : [known.joined(separator: "; ")]
    }

    /// Returns the same line for settings keyed by arm name.
    static func lines(of settings: [String: String]?) -> [String] {
        lines((settings ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
