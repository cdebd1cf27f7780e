import CSQLite
import WorkloadEngine

extension WorkloadSession {
    /// Adds SQLite's version and the values of pragmas to the environment of a result.
    package func addFacts(to facts: inout [String: String]) throws {
        facts["sqlite_version"] = String(cString: sqlite3_libversion())
        for pragma in reportedPragmas {
            guard let value = try rows("PRAGMA \(pragma)", []).first?.first else { continue }
            facts[pragma] = value.plainText
        }
        if let number = facts["synchronous"].flatMap(Int.init),
            synchronousNames.indices.contains(number)
        {
            facts["synchronous"] = synchronousNames[number]
        }
    }
}

private let reportedPragmas = [
    "journal_mode", "synchronous", "page_size", "cache_size", "mmap_size", "temp_store",
    "foreign_keys", "wal_autocheckpoint",
]

/// The names of the numbers that `PRAGMA synchronous` returns (https://sqlite.org/pragma.html).
private let synchronousNames = ["off", "normal", "full", "extra"]
