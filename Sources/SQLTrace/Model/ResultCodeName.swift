/// The names of SQLite's result codes (https://sqlite.org/rescode.html).
enum ResultCodeName {
    private static let primary: [Int32: String] = [
        1: "ERROR", 2: "INTERNAL", 3: "PERM", 4: "ABORT", 5: "BUSY", 6: "LOCKED", 7: "NOMEM",
        8: "READONLY", 9: "INTERRUPT", 10: "IOERR", 11: "CORRUPT", 12: "NOTFOUND", 13: "FULL",
        14: "CANTOPEN", 15: "PROTOCOL", 16: "EMPTY", 17: "SCHEMA", 18: "TOOBIG", 19: "CONSTRAINT",
        20: "MISMATCH", 21: "MISUSE", 22: "NOLFS", 23: "AUTH", 24: "FORMAT", 25: "RANGE",
        26: "NOTADB",
    ]
    private static let extended: [Int32: String] = [
        261: "BUSY_RECOVERY", 517: "BUSY_SNAPSHOT", 773: "BUSY_TIMEOUT",
        262: "LOCKED_SHAREDCACHE", 518: "LOCKED_VTAB",
        264: "READONLY_RECOVERY", 520: "READONLY_CANTLOCK", 776: "READONLY_ROLLBACK",
        1032: "READONLY_DBMOVED", 1288: "READONLY_CANTINIT", 1544: "READONLY_DIRECTORY",
        266: "IOERR_READ", 522: "IOERR_SHORT_READ", 778: "IOERR_WRITE", 1034: "IOERR_FSYNC",
        267: "CORRUPT_VTAB", 523: "CORRUPT_SEQUENCE", 779: "CORRUPT_INDEX",
        275: "CONSTRAINT_CHECK", 531: "CONSTRAINT_COMMITHOOK", 787: "CONSTRAINT_FOREIGNKEY",
        1043: "CONSTRAINT_FUNCTION", 1299: "CONSTRAINT_NOTNULL", 1555: "CONSTRAINT_PRIMARYKEY",
        1811: "CONSTRAINT_TRIGGER", 2067: "CONSTRAINT_UNIQUE", 2323: "CONSTRAINT_VTAB",
        2579: "CONSTRAINT_ROWID", 2835: "CONSTRAINT_PINNED", 3091: "CONSTRAINT_DATATYPE",
    ]

    /// Returns the name of an extended result code, such as `SQLITE_BUSY_SNAPSHOT`.
    ///
    /// A code without a name here is the name of its primary code and the code.
    static func name(of code: Int32) -> String {
        if let name = extended[code] ?? primary[code] { return "SQLITE_" + name }
        return primary[code & 0xff].map { "SQLITE_\($0) (\(code))" } ?? "result code \(code)"
    }
}
