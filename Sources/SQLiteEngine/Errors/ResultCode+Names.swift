/// The names of the result codes.
///
/// The tables omit the prefix `SQLITE_`. The position of a word in its table determines the code
/// number. A hyphen marks an unassigned number.
extension ResultCode {
    /// The C name, such as `SQLITE_CONSTRAINT_UNIQUE`, or `nil` for a code that this library does
    /// not define.
    public var name: String? {
        let primary: String?
        switch rawValue & 0xFF {
        case 100: primary = "ROW"
        case 101: primary = "DONE"
        case let number: primary = Self.word(number, of: Self.primaryNames)
        }
        guard let primary else { return nil }
        if self == primaryResultCode { return "SQLITE_\(primary)" }
        let names = Self.extendedNames[rawValue & 0xFF] ?? ""
        return Self.word((rawValue >> 8) - 1, of: names).map { "SQLITE_\(primary)_\($0)" }
    }

    private static func word(_ position: CInt, of names: String) -> String? {
        let words = names.split(separator: " ")
        guard words.indices.contains(Int(position)), words[Int(position)] != "-" else { return nil }
        return String(words[Int(position)])
    }

    private static let primaryNames = """
        OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND \
        FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT \
        RANGE NOTADB NOTICE WARNING
        """

    /// The names of the extended codes, keyed by primary code.
    ///
    /// The first word has number 1.
    private static let extendedNames: [CInt: String] = [
        0: "LOAD_PERMANENTLY SYMLINK",
        1: "MISSING_COLLSEQ RETRY SNAPSHOT",
        4: "- ROLLBACK",
        5: "RECOVERY SNAPSHOT TIMEOUT",
        6: "SHAREDCACHE VTAB",
        8: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY",
        10: """
        READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED \
        NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP \
        SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC \
        ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE
        """,
        11: "VTAB SEQUENCE INDEX",
        14: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK",
        19: """
        CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID \
        PINNED DATATYPE
        """,
        23: "USER",
        27: "RECOVER_WAL RECOVER_ROLLBACK RBU",
        28: "AUTOINDEX",
    ]
}
