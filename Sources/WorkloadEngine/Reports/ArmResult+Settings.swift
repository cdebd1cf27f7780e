extension ArmResult {
    /// The journal mode and `synchronous` in force, such as `journal_mode wal, synchronous normal`;
    /// nil where the target did not report them.
    var journalSettings: String? {
        let known = ["journal_mode", "synchronous"].compactMap { name in
            environment[name].map { "\(name) \($0)" }
        }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}

/// The settings of several arms as a report states them.
enum ArmSettings {
    /// One line, such as `queue: journal_mode delete, synchronous full; pool: …`; none where no
    /// arm's settings are known.
    static func lines(_ settings: [(arm: String, text: String?)]) -> [String] {
        let known = settings.compactMap { arm, text in text.map { "\(arm): \($0)" } }
        return known.isEmpty ? [] : [known.joined(separator: "; ")]
    }

    /// The same for settings by the arms' names.
    static func lines(of settings: [String: String]?) -> [String] {
        lines((settings ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
