import Findings
import SQLiteWatch
import Text

extension WatchReport {
    /// Returns the report with text from other programs escaped for display.
    ///
    /// The path is unchanged, because it identifies the database.
    func escaped() -> WatchReport {
        var report = self
        for index in report.processes.indices {
            Self.escape(&report.processes[index].name)
            Self.escape(&report.processes[index].user)
            Self.escape(&report.processes[index].commandLine)
            report.processes[index].strayFiles = report.processes[index].strayFiles?.map { file in
                var file = file
                Self.escape(&file.path)
                return file
            }
        }
        for index in report.pins.indices { Self.escape(&report.pins[index].name) }
        for index in report.tables.indices { Self.escape(&report.tables[index].name) }
        for index in report.episodes.indices {
            Self.escape(&report.episodes[index].name)
            for waiter in report.episodes[index].waiters.indices {
                Self.escape(&report.episodes[index].waiters[waiter].name)
            }
        }
        Self.escape(&report.verdict)
        for index in report.findings.indices { Self.escape(&report.findings[index]) }
        for index in report.notes.indices { Self.escape(&report.notes[index]) }
        Self.escape(&report.file.problem)
        Self.escape(&report.file.lockFile)
        report.escapeStatements()
        return report
    }

    private mutating func escapeStatements() {
        statements = statements?.map { statement in
            var statement = statement
            Self.escape(&statement.sql)
            Self.escape(&statement.upgradeAfter)
            if let repeated = statement.repeated {
                statement.repeated?.after = Escaping.terminal(repeated.after)
            }
            statement.plan = statement.plan?.map(Escaping.terminal)
            statement.values = statement.values?.map(Escaping.terminal)
            return statement
        }
        transactions = transactions?.map { transaction in
            var transaction = transaction
            Self.escape(&transaction.name)
            Self.escape(&transaction.sql)
            Self.escape(&transaction.gapAfter)
            Self.escape(&transaction.gapBefore)
            return transaction
        }
        current = current?.map { statement in
            var statement = statement
            Self.escape(&statement.sql)
            return statement
        }
        connections = connections?.map { connection in
            var connection = connection
            Self.escape(&connection.name)
            Self.escape(&connection.library)
            if let running = connection.running {
                connection.running?.sql = Escaping.terminal(running.sql)
            }
            connection.pragmas = connection.pragmas.map { pragma in
                var pragma = pragma
                pragma.value = Escaping.terminal(pragma.value)
                return pragma
            }
            return connection
        }
        copies = copies?.map { copy in
            var copy = copy
            Self.escape(&copy.name)
            Self.escape(&copy.library)
            Self.escape(&copy.sourceID)
            return copy
        }
        blocked = blocked?.map(Self.escaped)
        waits = waits?.map { group in
            var group = group
            group.longest = Self.escaped(group.longest)
            return group
        }
    }

    private static func escaped(_ block: WatchedBlock) -> WatchedBlock {
        var block = block
        escape(&block.name)
        escape(&block.sql)
        block.by = block.by.map { blocker in
            var blocker = blocker
            escape(&blocker.name)
            escape(&blocker.sql)
            escape(&blocker.gapAfter)
            escape(&blocker.gapBefore)
            return blocker
        }
        return block
    }

    private static func escape(_ verdict: inout Finding) {
        escape(&verdict.text)
        escape(&verdict.remedy)
    }

    private static func escape(_ text: inout String?) {
        guard var value = text else { return }
        escape(&value)
        text = value
    }

    private static func escape(_ text: inout String) { text = Escaping.terminal(text) }
}
