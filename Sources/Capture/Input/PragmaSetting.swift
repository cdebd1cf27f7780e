import SQLText

/// A type that recognizes PRAGMA statements with settings that a scenario can reproduce.
enum PragmaSetting {
    /// The per-connection pragmas whose values are numbers or words that are not secret.
    static let repeatable: Set = [
        "busy_timeout", "cache_size", "cache_spill", "case_sensitive_like", "foreign_keys",
        "journal_mode", "journal_size_limit", "locking_mode", "mmap_size", "query_only",
        "read_uncommitted", "recursive_triggers", "synchronous", "temp_store", "threads",
        "wal_autocheckpoint",
    ]

    /// Returns the setting of `PRAGMA name = value` or `PRAGMA name(value)`, or an empty dictionary
    /// for other statements and for pragmas that are not copied to the scenario, such as `key`.
    static func setting(in sql: String) -> [String: String] {
        var tokens = SQLToken.significant(in: sql)[...]
        guard tokens.allSatisfy(\.isValid), tokens.popFirst() != nil else { return [:] }
        if tokens.count > 2, tokens[tokens.startIndex + 1].text == "." {
            tokens = tokens.dropFirst(2)
        }
        guard let name = tokens.popFirst()?.text.lowercased(), repeatable.contains(name),
            let sign = tokens.popFirst()?.text, sign == "=" || sign == "("
        else { return [:] }
        var value = ""
        for token in tokens.prefix(2) {
            if token.text == "-" {
                value = "-"
            } else if [.word, .number, .string].contains(token.kind) {
                value += token.unquoted.lowercased()
                break
            }
        }
        let isPlain = value.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("0"..."9").contains($0)
                || "-._".unicodeScalars.contains($0)
        }
        return value.isEmpty || !isPlain ? [:] : [name: value]
    }
}
