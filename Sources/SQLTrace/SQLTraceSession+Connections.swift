#if os(Linux)
import Findings
import SQLiteWatch
import Telemetry

extension SQLTraceSession {
    /// Reads the settings of the connections to all watched databases.
    public func watchedConnections() -> [WatchedConnection] {
        lock.withLock { _ in
            models.indices.flatMap {
                connectionReport(of: $0, [:], at: monotonicNanoseconds()).0
            }
        }
    }

    /// Reads the settings of the connections to a database, and describes the copies of SQLite that
    /// they use.
    ///
    /// - Parameters:
    ///   - database: The number of the database.
    ///   - running: The running statements.
    ///   - now: The time on the monotonic clock, in nanoseconds.
    /// - Returns: The connections and the copies, in the order of their processes.
    func connectionReport(
        of database: Int,
        _ running: RunningStatements,
        at now: UInt64
    ) -> ([WatchedConnection], [WatchedCopy]) {
        let memory = ProcMemory()
        var readers: [CopyKey: ConnectionReader?] = [:]
        let found = connections.report(of: database) { key, entry in
            let copy = CopyKey(process: key.process, library: entry.library)
            let reader = readers[copy] ?? reader(of: copy, memory)
            readers[copy] = reader
            return reader?.settings(of: key.connection, path: entry.path) ?? .unknown
        }
        var copies: [CopyKey: WatchedCopy] = [:]
        let report = found.map { address, connection, number, openFiles in
            var connection = connection
            connection.name = names[connection.pid]
            connection.running = running[address].map { statement in
                WatchedConnection.Running(
                    sql: models[database].displayText(of: statement.text).shown,
                    seconds: Double(now - min(now, statement.start)) / 1e9,
                    isLowerBound: statement.isEarly ? true : nil
                )
            }
            guard libraries.entries.indices.contains(number) else { return connection }
            let library = libraries.entries[number]
            connection.library = library.library.path
            let key = CopyKey(process: connection.pid, library: number)
            var copy = copies[key] ?? copyFacts(connection, library)
            copy.connections += 1
            copy.openFiles = openFiles ?? copy.openFiles
            copies[key] = copy
            return connection
        }
        return (
            report,
            copies.sorted { ($0.key.process, $0.key.library) < ($1.key.process, $1.key.library) }
                .map(\.value)
        )
    }

    /// A copy of SQLite in a process.
    struct CopyKey: Hashable {
        var process: Int32
        /// The number of the library.
        var library: Int
    }

    /// Returns a reader of the connections of a copy, or `nil` if its layout is not known.
    func reader(of copy: CopyKey, _ memory: ProcMemory) -> ConnectionReader? {
        guard libraries.entries.indices.contains(copy.library),
            let layout = try? libraries.entries[copy.library].state?.get()
        else { return nil }
        let code = survey.processes[copy.process]?.code.first {
            libraries.entry($0)?.number == copy.library
        }
        return ConnectionReader(
            memory: memory,
            process: copy.process,
            layout: layout,
            code: code
        )
    }

    private func copyFacts(
        _ connection: WatchedConnection,
        _ entry: TracedLibraries.Entry
    ) -> WatchedCopy {
        var copy = WatchedCopy(pid: connection.pid, library: entry.library.path)
        copy.name = connection.name
        let layout = try? entry.state?.get()
        copy.version = layout?.version
        copy.sourceID = layout?.sourceID
        copy.memoryBytes = MemoryLimit.bytes(of: connection.pid)
        return copy
    }
}
#endif
