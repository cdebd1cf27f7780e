import Foundation
import Scenarios
import Text

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
    /// - Throws: `ScenarioError` with all errors.
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
                try check(scenario, on: arm, at: file, log: &log)
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
        log: inout CheckLog
    ) throws {
        if case .file(let path) = scenario.dataset(of: arm) {
            try factory.copyDatabase(at: path, to: file) { _ in }
        }
        // Use a pool, because pools support snapshots.
        let poolArm = Arm(name: arm.name, kind: .pool, readers: 1, pragmas: arm.pragmas)
        let target = try factory.open(poolArm, at: file)
        do {
            if try build(scenario.dataset(of: arm), in: target, log: &log),
                setUp(arm, target: target, log: &log)
            {
                try prepare(scenario, on: arm, target: target, log: &log)
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
        log: inout CheckLog
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
            let sql = SchemaDataset.insertRow(of: table)
            do { try target.check(sql) } catch {
                isComplete = false
                log.add("table '\(table.name)': \(target.reason(of: error))", sql: sql)
            }
        }
        return isComplete
    }

    /// Runs an arm's setup, or logs an error and returns `false`.
    private func setUp(_ arm: Arm, target: any WorkloadTarget, log: inout CheckLog) -> Bool {
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
        target: any WorkloadTarget,
        log: inout CheckLog
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

struct CheckLog {
    private let scenario: Scenario
    private(set) var issues: [ScenarioError.Issue] = []

    init(_ scenario: Scenario) { self.scenario = scenario }

    mutating func add(
        _ sql: String,
        of owner: String,
        problem: String,
        error: any Error,
        on target: any WorkloadTarget
    ) {
        add("'\(sql)' of \(owner) \(problem): \(target.reason(of: error))", sql: sql)
    }

    mutating func add(_ message: String, sql: String?) {
        let issue = scenario.issue(message, with: sql)
        // Several arms and clients may use the same statement.
        let isKnown = issues.contains {
            $0 == issue || issue.line != nil && $0.line == issue.line && $0.column == issue.column
        }
        if !isKnown { issues.append(issue) }
    }
}

extension Scenario {
    /// Returns an issue at a statement's position in the file, or with the `--set` option that
    /// contains the statement.
    func issue(_ message: String, with sql: String?) -> ScenarioError.Issue {
        if let sql, let setting = settings.last(where: { $0.value.contains(sql) }) {
            return ScenarioError.Issue(file: "", message: "--set '\(setting)': \(message)")
        }
        let place = sql.flatMap { statementPositions[$0] }
        return ScenarioError.Issue(
            file: file,
            line: place?.line,
            column: place?.column,
            message: message
        )
    }
}

extension WorkloadTarget {
    /// Returns the reason that a statement is invalid, without the statement's text.
    ///
    /// If a name is missing from the database, the reason suggests the nearest name.
    func reason(of error: any Error) -> String {
        let text = String(describing: error)
        if let missing = MissingName(in: text) {
            return missing.description + missing.hint(on: self)
        }
        return text.replacing(/^SQLite error \d+:\s/, with: "")
            .replacing(/\s- while executing `[\s\S]*`/, with: "")
    }
}

/// A name that SQLite did not find, as in the message `no such column: abalnce`.
package struct MissingName: CustomStringConvertible {
    /// The kind of object: `table`, `column`, or `function`.
    package let kind: String
    let name: String

    package init?(in message: String) {
        let pattern = /no such (table|column|function): ([^\s`]+)/
        if let match = message.firstMatch(of: pattern) {
            kind = String(match.1)
            name = String(match.2)
        } else if let match = message.firstMatch(of: /table .+ has no column named ([^\s`]+)/) {
            kind = "column"
            name = String(match.1)
        } else {
            return nil
        }
    }

    package var description: String { "no such \(kind): \(name)" }

    package func hint(on target: any WorkloadTarget) -> String {
        let sql: String
        switch kind {
        case "table": sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        case "column":
            sql = """
                SELECT DISTINCT p.name FROM sqlite_master m, pragma_table_info(m.name) p \
                WHERE m.type IN ('table', 'view')
                """
        default: sql = "SELECT DISTINCT name FROM pragma_function_list"
        }
        var found: [String]?
        try? target.perform(.read, as: WorkloadClientName("check")) { session in
            found = try session.rows(sql, []).compactMap { row in
                if case .text(let name) = row.first { name } else { nil }
            }
        }
        guard let names = found else { return "" }
        if kind == "table", names.isEmpty { return "; the database has no tables" }
        let last = name.split(separator: ".").last.map(String.init) ?? name
        return kind == "function"
            ? NearestName.of(last, among: names).map { "; did you mean '\($0)'?" } ?? ""
            : NearestName.hint(last, among: names.sorted())
    }
}
