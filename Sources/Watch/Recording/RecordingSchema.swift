import SQLiteEngine

/// The tables of a recording, as `docs/Recordings.md` describes them.
enum RecordingSchema {
    /// The version of the format, which is the file's `user_version`.
    ///
    /// Increment the version for a change that older readers would misread, but not for new tables
    /// and columns that they can ignore. Since version 2, the base of a sample can itself have a
    /// base.
    static let version = 2

    /// The file's `application_id`, which identifies recordings: `PgRe` in ASCII.
    static let applicationID = 0x5067_5265

    /// The size of a page, in bytes.
    static let pageSize = 4096

    static let statements = """
        CREATE TABLE session (
          id INTEGER PRIMARY KEY,
          kind TEXT NOT NULL,
          tool TEXT NOT NULL,
          wall_ms INTEGER NOT NULL,
          monotonic_ns INTEGER NOT NULL,
          end_ms INTEGER,
          end_reason TEXT,
          title TEXT NOT NULL,
          scenario TEXT,
          environment TEXT
        );
        CREATE TABLE source (
          id INTEGER PRIMARY KEY,
          session INTEGER NOT NULL,
          name TEXT NOT NULL
        );
        CREATE TABLE part (
          id INTEGER PRIMARY KEY,
          session INTEGER NOT NULL,
          time_ms INTEGER NOT NULL,
          first_sample INTEGER NOT NULL
        );
        CREATE TABLE sample (
          id INTEGER PRIMARY KEY,
          source INTEGER NOT NULL,
          time_ms INTEGER NOT NULL,
          base INTEGER,
          wait_ns INTEGER,
          waiting INTEGER,
          wal_bytes INTEGER,
          busy INTEGER,
          saturation REAL,
          rate REAL
        );
        CREATE TABLE payload (
          sample INTEGER PRIMARY KEY,
          data NOT NULL
        );
        CREATE TABLE event (
          id INTEGER PRIMARY KEY,
          source INTEGER,
          time_ms INTEGER NOT NULL,
          severity TEXT NOT NULL,
          message TEXT NOT NULL
        );
        CREATE TABLE gap (
          id INTEGER PRIMARY KEY,
          source INTEGER,
          start_ms INTEGER NOT NULL,
          end_ms INTEGER NOT NULL,
          reason TEXT NOT NULL
        );
        CREATE TABLE result (
          session INTEGER PRIMARY KEY,
          data TEXT NOT NULL
        );
        PRAGMA user_version = \(version);
        PRAGMA application_id = \(applicationID);
        """

    /// Checks that a file contains only ordinary tables.
    ///
    /// In a file from another person, a view, a trigger, a virtual table, or a generated column
    /// could run any query when the file is read or extended, even one that does not end.
    ///
    /// - Throws: ``RecordingError`` if the file contains any other object, or an error from SQLite.
    static func check(_ db: Database, path: String) throws {
        let name = try String.fetchOne(
            db,
            sql: """
                SELECT name FROM sqlite_schema WHERE type <> 'table' OR rootpage = 0
                UNION ALL
                SELECT s.name FROM sqlite_schema AS s, pragma_table_xinfo(s.name)
                WHERE s.type = 'table' AND s.rootpage <> 0 AND hidden <> 0
                LIMIT 1
                """
        )
        guard let name else { return }
        throw RecordingError(
            "'\(path)' contains '\(name)', which is not an ordinary table; poolgauge does not create "
                + "such objects in a recording, so the file is not read"
        )
    }
}

/// An error that occurs while writing or reading a recording.
package struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem and the remedy, in English.
    package var description: String

    init(_ description: String) { self.description = description }
}
