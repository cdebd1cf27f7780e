import Findings

/// A trace of the statements that other programs execute, through probes or through a library in the
/// programs.
///
/// Use a trace on only one thread.
package protocol StatementTrace: AnyObject {
    /// Adds a database to trace.
    func add(path: String)

    /// Reads the records since the last call, and returns the executions on the traced databases, in
    /// the order of their ends.
    @discardableResult
    func poll() -> [StatementExecution]

    /// Returns the traced data of each database by its path, with rates since the last call.
    func report() -> [String: TracedDatabase]

    /// Returns the periods since the last call in which records of processes are missing.
    func takeGaps() -> [Int32: [ClosedRange<UInt64>]]

    /// Returns the connections to all traced databases.
    func watchedConnections() -> [WatchedConnection]

    /// Ends the trace.
    func close()
}

/// What a trace knows about a database.
package struct TracedDatabase {
    package var statements: [WatchedStatement]
    package var transactions: [WatchedTransaction]
    package var blocked: [WatchedBlock]
    package var waits: [WatchedWaits]
    package var current: [WatchedCurrentStatement]
    package var connections: [WatchedConnection]
    package var copies: [WatchedCopy]
    package var tracing: WatchedTracing
}

extension StatementTrace {
    /// Adds statements, transactions, and waits to reports on databases.
    package func completeReports(_ reports: inout [WatchReport]) {
        let traced = report()
        for index in reports.indices {
            guard let database = traced[reports[index].file.path] else { continue }
            reports[index].statements = database.statements
            reports[index].transactions = database.transactions
            reports[index].current = database.current
            reports[index].blocked = database.blocked.map { inferred($0, report: reports[index]) }
            reports[index].waits = database.waits.map { group in
                var group = group
                group.longest = inferred(group.longest, report: reports[index])
                return group
            }
            reports[index].tracing = database.tracing
            // A connection that has not read the file yet finds its log when it does.
            let hasLog = reports[index].file.journalMode == .wal
            reports[index].connections = database.connections.map { connection in
                var connection = connection
                let mode = connection.settings.journalMode
                if hasLog, mode != nil { connection.settings.journalMode = .wal }
                return connection
            }
            reports[index].copies = database.copies
            reports[index].useProcessNames()
            reports[index].reconcileLocks()
            reports[index].updateFindings()
        }
    }

    /// Identifies the holder of the write lock as the blocker if no traced transaction explains the
    /// wait.
    private func inferred(_ block: WatchedBlock, report: WatchReport) -> WatchedBlock {
        guard block.by == nil, block.isUpgrade != true else { return block }
        let end = block.time.milliseconds
        let start = end - Int64(block.seconds * 1_000)
        let holders = report.episodes.filter { episode in
            let duration = Int64(episode.seconds * 1_000)
            return (episode.kind == .writer || episode.kind == .exclusive)
                && episode.start.milliseconds <= end
                && episode.start.milliseconds + duration >= start
        }
        guard let holder = holders.first(where: { $0.pid != block.pid }) ?? holders.first else {
            return block
        }
        var block = block
        var blocker = WatchedBlock.Blocker(pid: holder.pid, isInferred: true)
        blocker.name = holder.name
        block.by = blocker
        return block
    }
}
