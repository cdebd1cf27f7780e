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

    /// The pragmas that have an effect only on connections that write.
    static let settingsOfWrites: Set = [
        "cache_spill", "foreign_keys", "journal_size_limit", "synchronous", "wal_autocheckpoint",
    ]

    /// Returns the setting of `PRAGMA name = value` or `PRAGMA name(value)`, or an empty dictionary
    /// for other statements and for pragmas that are not copied to the scenario, such as `key`.
    static func setting(in sql: String) -> [String: String] {
        guard let pragma = SQLPragma(sql), repeatable.contains(pragma.name),
            let value = pragma.value?.lowercased(), value.unicodeScalars.allSatisfy(isPlain)
        else { return [:] }
        return [pragma.name: value]
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
            || "-._".unicodeScalars.contains(scalar)
    }
}
