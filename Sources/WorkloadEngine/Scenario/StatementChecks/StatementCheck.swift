import Foundation

/// A check that prepares a scenario's statements on the scenario's empty tables, before the load.
///
/// The check finds errors that the decoder cannot detect, such as missing columns. It reports
/// each error at the statement's position in the file.
package struct StatementCheck {
    private let factory: any WorkloadTargetFactory

    /// Creates a check that uses a library's databases.
    package init(_ factory: any WorkloadTargetFactory) { self.factory = factory }

    /// Checks each arm's tables, setup, and statements.
    ///
    /// This method copies an existing database but does not build other data. If a client changes
    /// the schema, this method does not check the statements.
    ///
    /// - Throws: ``ScenarioError`` with all errors.
    package func check(_ scenario: Scenario) throws(ScenarioError) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-check-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var log = CheckLog(scenario)
        var checked: [Arm] = []
        for arm in scenario.arms {
            // If several arms have the same effect on statements, check only one of them.
            let relevantSettings = Arm(
                name: "",
                kind: .queue,
                pragmas: arm.pragmas,
                setup: arm.setup,
                file: arm.file
            )
            guard !checked.contains(relevantSettings) else { continue }
            checked.append(relevantSettings)
            do {
                if checked.count == 1 { try PrivateFolder.create(at: folder) }
                let file = folder.appendingPathComponent("\(checked.count).sqlite").path
                try check(scenario, on: arm, at: file, &log)
            } catch {
                log.add("the database of arm '\(arm.name)' cannot be opened: \(error)", sql: nil)
            }
        }
        if !log.issues.isEmpty { throw ScenarioError(issues: log.issues) }
    }

    private func check(
        _ scenario: Scenario,
        on arm: Arm,
        at file: String,
        _ log: inout CheckLog
    ) throws {
        if case .file(let path) = scenario.dataset(of: arm) {
            try factory.copyDatabase(at: path, to: file) { _ in }
        }
        // Use a pool, because pools support snapshots.
        let poolArm = Arm(name: arm.name, kind: .pool, readers: 1, pragmas: arm.pragmas)
        let target = try factory.open(poolArm, at: file)
        do {
            if try build(scenario.dataset(of: arm), in: target, &log), setUp(arm, target, &log) {
                try prepare(scenario, on: arm, target, &log)
            }
        } catch {
            try? target.close()
            throw error
        }
        try target.close()
    }

    /// Creates the tables, or logs an error and returns `false`.
    private func build(
        _ dataset: Dataset,
        in target: any WorkloadTarget,
        _ log: inout CheckLog
    ) throws -> Bool {
        if case .file = dataset { return true }
        do {
            try DatasetBuilder.buildSchema(of: dataset, in: target)
        } catch let failure as DatasetBuilder.Failure {
            log.add(
                failure.sql,
                of: "the dataset",
                problem: "fails",
                error: failure.cause,
                on: target
            )
            return false
        }
        guard case .schema(let schema) = dataset else { return true }
        var isComplete = true
        for table in schema.tables {
            let sql = DatasetBuilder.insertRow(of: table)
            do { try target.check(sql) } catch {
                isComplete = false
                log.add("table '\(table.name)': \(target.reason(of: error))", sql: sql)
            }
        }
        return isComplete
    }

    /// Runs an arm's setup, or logs an error and returns `false`.
    private func setUp(_ arm: Arm, _ target: any WorkloadTarget, _ log: inout CheckLog) -> Bool {
        for sql in arm.setup {
            do {
                try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
                    _ = try $0.run(sql, [])
                }
            } catch {
                log.add(
                    sql,
                    of: "arm '\(arm.name)'",
                    problem: "fails",
                    error: error,
                    on: target
                )
                return false
            }
        }
        return true
    }

    private func prepare(
        _ scenario: Scenario,
        on arm: Arm,
        _ target: any WorkloadTarget,
        _ log: inout CheckLog
    ) throws {
        let plan = try RunPlan(scenario, on: target)
        for (client, problem, sql) in plan.transactionProblems {
            log.add("client '\(client)': \(problem)", sql: sql)
        }
        var statements: [(owner: String, sql: String)] = []
        for (name, list) in scenario.transactions.sorted(by: { $0.key < $1.key }) {
            statements += list.flatMap(\.statements).map { ("transaction '\(name)'", $0) }
        }
        statements += scenario.dataInvariants.map { ("invariant '\($0.name)'", $0.sql) }
        for client in plan.clients {
            let clientStatements = (client.operations.joined() + client.thenRead)
                .map { ("client '\(client.name.name)'", $0.sql) }
            statements += clientStatements
        }
        guard !statements.contains(where: { StatementTemplate(sql: $0.sql).changesSchema }) else {
            return
        }
        for statement in statements {
            do { try target.check(statement.sql) } catch {
                log.add(
                    statement.sql,
                    of: statement.owner,
                    problem: "cannot be prepared",
                    error: error,
                    on: target
                )
            }
        }
    }
}

extension StatementTemplate {
    var changesSchema: Bool {
        ["ALTER", "ATTACH", "CREATE", "DETACH", "DROP"].contains(verb)
    }
}
