extension ArmResult {
    /// The effective settings, such as `journal_mode wal, synchronous normal, busy timeout 5.00 s`.
    var journalSettings: String? {
        let known = ["journal_mode", "synchronous", "busy"].compactMap { name in
            environment[name].map { "\(name) \($0)" }
        }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}

enum ArmSettings {
    /// Returns a line such as `queue: journal_mode delete, synchronous full; pool: …`, or an
    /// empty array if no settings are known.
    static func lines(_ settings: [(arm: String, text: String?)]) -> [String] {
        let known = settings.compactMap { arm, text in text.map { "\(arm): \($0)" } }
        return known.isEmpty ? [] : [known.joined(separator: "; ")]
    }

    static func lines(of settings: [String: String]?) -> [String] {
        lines((settings ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
