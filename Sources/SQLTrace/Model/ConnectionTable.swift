import Findings
import SQLText

/// The open connections that have executed a statement on a watched database.
struct ConnectionTable {
    struct Entry {
        /// The number of the database.
        var database: Int
        /// The path of the database in the process.
        var path: String
        /// The number of the library.
        var library: Int
        var pragmas: [ConnectionSetting: WatchedPragma] = [:]
        var hasWritten = false
        /// Whether the last attempt to read the connection found another structure.
        var isDoubtful = false
    }

    private(set) var entries: [ConnectionKey: Entry] = [:]
    /// Whether some connections are not listed because there are too many.
    private(set) var isFull = false

    private static let limit = 4_096
    private static let valueLimit = 64

    mutating func add(
        _ execution: StatementExecution,
        _ kind: SQLStatementKind,
        database: Int,
        library: Int
    ) {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        add(key, database: database, path: execution.database ?? "", library: library)
        guard execution.result & 0xff == 0 else { return }
        if kind.isWrite { entries[key]?.hasWritten = true }
        guard case .pragma(_, isQuery: false) = kind, let text = execution.sql,
            let pragma = SQLPragma(text), let value = pragma.value,
            pragma.schema ?? "main" == "main",
            let setting = ConnectionSetting(rawValue: pragma.name)
        else { return }
        entries[key]?.pragmas[setting] = WatchedPragma(
            name: pragma.name,
            value: String(value.prefix(Self.valueLimit))
        )
    }

    /// Adds a connection to a database, unless it is known.
    mutating func add(_ key: ConnectionKey, database: Int, path: String, library: Int) {
        guard entries[key] == nil else { return }
        guard entries.count < Self.limit else {
            isFull = true
            return
        }
        entries[key] = Entry(database: database, path: path, library: library)
    }

    mutating func end(_ connection: ConnectionKey) { entries[connection] = nil }

    mutating func end(process: Int32) {
        entries = entries.filter { $0.key.process != process }
    }

    /// Discards the pragmas of a process, because later ones may be missing.
    mutating func noteGap(of process: Int32) {
        for key in entries.keys where key.process == process { entries[key]?.pragmas = [:] }
    }

    /// Reads the settings of the connections to a database.
    ///
    /// - Parameters:
    ///   - database: The number of the database.
    ///   - read: A closure that reads a connection's settings.
    /// - Returns: The connections in the order of their processes, each with its library, and how
    ///   often the library has the database file open.
    mutating func report(
        of database: Int,
        read: (ConnectionKey, Entry) -> ConnectionReader.Outcome
    ) -> [(key: ConnectionKey, connection: WatchedConnection, library: Int, openFiles: Int?)] {
        let keys = entries.filter { $0.value.database == database }.keys
            .sorted { ($0.process, $0.connection) < ($1.process, $1.connection) }
        return keys.compactMap { key in
            guard let entry = entries[key] else { return nil }
            var report = WatchedConnection(
                pid: key.process,
                connection: String(key.connection, radix: 16)
            )
            var openFiles: Int?
            switch read(key, entry) {
            case .read(let settings, let count):
                report.settings = settings
                openFiles = count
                entries[key]?.isDoubtful = false
            case .noConnection:
                // The connection may have been closed while its program had no probes.
                entries[key] = entry.isDoubtful ? nil : entry
                entries[key]?.isDoubtful = true
                if entry.isDoubtful { return nil }
            case .unknown: break
            }
            report.hasWritten = entry.hasWritten
            report.pragmas = entry.pragmas.sorted { $0.key.rawValue < $1.key.rawValue }
                .map { setting, pragma in
                    var pragma = pragma
                    pragma.isActive = setting.words(forPragma: pragma.value).flatMap { wanted in
                        setting.words(report.settings).map { $0 == wanted }
                    }
                    return pragma
                }
            return (key, report, entry.library, openFiles)
        }
    }
}
