import Foundation
import Text
import YAML
import Yams

struct ScenarioDecoder {
    let log: YAMLLog
    var dataset = Dataset.sql([])
    var isDatasetIncomplete = false
    var variables: [String: Variable] = [:]
    var inheritedRanges: [String: RangeSource] = [:]
    var transactions: [String: [Step]] = [:]
    var measured = Duration.zero
    var phaseNames: [String] = []
    var clientNames: [String] = []

    /// Creates a decoder for a file, which resolves relative paths in the file's folder.
    init(file: String) { log = YAMLLog(file: file) }

    /// Decodes the text of a file, or a modified tree of the text.
    mutating func decode(
        _ yaml: String,
        from tree: Node? = nil
    ) throws(ScenarioError) -> Scenario {
        guard let root = tree ?? compose(yaml),
            let top = MappingReader(root, what: "the scenario", Language.scenario, log: log)
        else {
            try log.throwIfAny()
            throw ScenarioError(issues: [])
        }
        decodeVersion(top)
        let name = top.required("name", example: "my-workload").flatMap {
            top.text($0, named: "name")
        }
        let issueCount = log.count
        dataset = decodeDataset(top) ?? .sql([])
        isDatasetIncomplete = log.count > issueCount
        let phases = decodePhases(top)
        phaseNames = phases.map(\.name)
        measured = phases.filter(\.isMeasured).reduce(.zero) { $0 + $1.duration }
        decodeVariables(top)
        decodeTransactions(top)
        var arms = decodeArms(top)
        if top.word("guard") != nil {
            for index in arms.indices { arms[index].isGuarded = true }
            if let arm = arms.first(where: { $0.library == .grdb }) {
                top.add(
                    "'guard' cannot be combined with library: grdb of arm '\(arm.name)', because "
                        + "GRDB replaces the authorizer",
                    atKey: "guard"
                )
            }
        }
        if let arm = arms.first(where: { $0.isGuarded && $0.driver != nil }) {
            top.add(
                "'guard' cannot be combined with the driver of arm '\(arm.name)', whose library "
                    + "executes the statements",
                atKey: "guard"
            )
        }
        clientNames = top["clients"]?.mapping?.compactMap { $0.key.scalar?.string } ?? []
        let clients = decodeClients(top)

        var scenario = Scenario(
            name: name ?? "",
            dataset: dataset,
            arms: arms,
            phases: phases,
            clients: clients
        )
        scenario.description = top.text("description") ?? ""
        scenario.seed = top.integer("seed", in: 0...UInt64.max) ?? scenario.seed
        scenario.drain = top.duration("drain") ?? scenario.drain
        scenario.variables = variables
        scenario.inheritedRanges = inheritedRanges
        scenario.transactions = transactions
        scenario.statementPositions = log.statementPositions
        scenario.source = yaml
        scenario.file = log.file
        let metrics = MetricCatalog(clients: clients.map(\.name))
        scenario.thresholds = decodeThresholds(top, metrics: metrics, clients: clients)
        scenario.primary = decodePrimary(top, metrics: metrics)
        let invariants = decodeInvariants(top, clients: clients)
        scenario.invariants = invariants.names
        scenario.dataInvariants = invariants.custom
        try log.throwIfAny()
        return scenario
    }

    private func compose(_ yaml: String) -> Node? {
        switch log.document(yaml) {
        case .root(let node): return node
        case .invalid: return nil
        case .empty:
            log.add("the file is empty; a scenario starts with version: 1", at: nil)
            return nil
        }
    }

    private func decodeVersion(_ top: MappingReader) {
        guard let node = top["version"] else {
            log.add("the scenario has no 'version'; add version: 1", at: top.mark)
            return
        }
        guard node.scalar?.string != "1" else { return }
        log.add(
            "version \(MappingReader.text(of: node)) is unknown; expected version: 1",
            at: node.mark
        )
    }

    private func decodePhases(_ top: MappingReader) -> [Phase] {
        guard let node = top.required("phases", example: "[{name: steady, duration: 30s}]") else {
            return []
        }
        guard let sequence = node.sequence, !sequence.isEmpty else {
            log.add(
                "'phases' must be a list with at least one phase, such as "
                    + "[{name: steady, duration: 30s}]",
                at: node.mark
            )
            return []
        }
        var phases: [Phase] = []
        var isComplete = true
        for item in sequence {
            guard
                let reader = MappingReader(
                    item,
                    what: "a phase",
                    Language.phase,
                    log: log
                ),
                let name = reader.required("name", example: "steady"),
                let name = reader.text(name, named: "name"),
                reader.required("duration", example: "30s") != nil,
                let duration = reader.duration("duration")
            else {
                isComplete = false
                continue
            }
            if phases.contains(where: { $0.name == name }) {
                reader.add(
                    "two phases have the name '\(name)'; choose different names",
                    atKey: "name"
                )
            }
            let isMeasured = reader.bool("measure") ?? true
            phases.append(Phase(name: name, duration: duration, isMeasured: isMeasured))
        }
        if isComplete, !phases.contains(where: \.isMeasured) {
            top.add(
                "no phase is measured; remove measure: false from at least one phase",
                atKey: "phases"
            )
        }
        return phases
    }

    private mutating func decodeTransactions(_ top: MappingReader) {
        for (key, each) in [("statements", "a statement"), ("transactions", "a transaction")] {
            for entry in top.named(key, each: each) {
                let what = "\(each.dropFirst(2)) '\(entry.name)'"
                var reader = StepReader(self, what: what)
                guard let list = reader.steps(entry.value) else { continue }
                if transactions[entry.name] != nil {
                    log.add("'\(entry.name)' is also the name of a statement", at: entry.key.mark)
                }
                if key == "statements", list.count > 1 {
                    log.add(
                        "\(what) is a list of \(list.count) statements; write it under "
                            + "'transactions'",
                        at: entry.value.mark
                    )
                }
                transactions[entry.name] = list
            }
        }
    }
}

/// A type that reads statements from a string with one or more statements, or from a list of such
/// strings.
struct SQLReader {
    struct Statement {
        var sql: String
        var mark: Mark?
    }

    let what: String
    let log: YAMLLog

    /// Returns the statements, or logs an error and returns `nil` if there are none.
    func statements(_ node: Node) -> [Statement]? {
        let nodes = node.sequence.map(Array.init) ?? [node]
        var result: [Statement] = []
        for item in nodes {
            guard let text = item.scalar?.string else {
                log.add("\(what) must be SQL, not \(MappingReader.text(of: item))", at: item.mark)
                return nil
            }
            let parts = StatementTemplate.statements(in: text)
            if parts.isEmpty {
                log.add("\(what) must contain a statement, not '\(text)'", at: item.mark)
            }
            for sql in parts { log.statementPositions.add(sql, at: item.mark) }
            result += parts.map { Statement(sql: $0, mark: item.mark) }
        }
        if nodes.isEmpty { log.add("\(what) must contain a statement", at: node.mark) }
        return result.isEmpty ? nil : result
    }
}

extension ScenarioDecoder {
    /// Logs an error for each parameter without a value.
    ///
    /// Earlier steps provide the values of the parameters in `fetched`.
    func checkParameters(
        of statements: [SQLReader.Statement],
        fetched: Set<String> = []
    ) {
        let known = Set(variables.keys).union(dataset.variables.keys).union(fetched).sorted()
        for statement in statements {
            let template = StatementTemplate(sql: statement.sql)
            for name in template.parameters where !known.contains(name) {
                let hint = NearestName.of(name, among: known).map { "; did you mean ':\($0)'?" }
                log.add(
                    "undefined variable ':\(name)' in '\(statement.sql)'"
                        + (hint ?? "; define it under 'variables'"
                            + (known.isEmpty ? "" : ", or use \(known.joined(separator: ", "))")),
                    at: statement.mark
                )
            }
            for text in template.unsupportedParameters {
                log.add(
                    "parameter '\(text)' in '\(statement.sql)' has no value; write :name",
                    at: statement.mark
                )
            }
        }
    }

    func decodeInvariants(
        _ top: MappingReader,
        clients: [Client]
    ) -> (names: [String], custom: [DataInvariant]) {
        guard let node = top["invariants"] else { return ([], []) }
        let items = node.sequence.map(Array.init) ?? [node]
        if items.isEmpty { log.add("'invariants' must not be an empty list", at: node.mark) }
        var names: [String] = []
        var custom: [DataInvariant] = []
        for item in items {
            let name: String?
            if item.mapping != nil {
                let invariant = decodeCustomInvariant(item)
                custom += [invariant].compactMap { $0 }
                name = invariant?.name
            } else {
                name = decodeKnownInvariant(item, top: top, clients: clients)
                names += [name].compactMap { $0 }
            }
            let isDuplicate = (names + custom.map(\.name)).count { $0 == name } > 1
            if let name, isDuplicate {
                log.add("invariant '\(name)' is listed twice", at: item.mark)
            }
        }
        return (names, custom)
    }

    private func decodeKnownInvariant(
        _ item: Node,
        top: MappingReader,
        clients: [Client]
    ) -> String? {
        guard let name = top.text(item, named: "invariants") else { return nil }
        guard let invariant = Invariant(rawValue: name) else {
            let known = Invariant.allCases.map(\.rawValue)
            log.add(
                RemovedFeature(rawValue: name)?.message
                    ?? "unknown invariant '\(name)'" + NearestName.hint(name, among: known),
                at: item.mark
            )
            return nil
        }
        if let problem = invariant.problem(with: dataset, clients: clients) {
            log.add("invariant '\(name)' \(problem)", at: item.mark)
        }
        return name
    }

    private func decodeCustomInvariant(_ item: Node) -> DataInvariant? {
        guard
            let reader = MappingReader(item, what: "an invariant", Language.invariant, log: log),
            let node = reader.required("name", example: "no-orphans"),
            let name = reader.text(node, named: "name"),
            let sql = reader.required("sql", example: "SELECT count(*) = 0 FROM t WHERE …"),
            let statements = SQLReader(what: "invariant '\(name)'", log: log).statements(sql)
        else { return nil }
        for statement in statements { checkNoParameters(statement, of: "an invariant") }
        if statements.count > 1 {
            log.add("an invariant must have one query, not \(statements.count)", at: sql.mark)
        }
        let verb = StatementTemplate(sql: statements[0].sql).verb
        if !["SELECT", "WITH", "VALUES", "PRAGMA"].contains(verb) {
            log.add(
                "an invariant must be a query, not \(verb): '\(statements[0].sql)'",
                at: sql.mark
            )
        }
        return DataInvariant(name: name, sql: statements[0].sql)
    }

    /// Returns the path of a database, or logs an error and returns `nil` if the file does not
    /// exist.
    func databasePath(_ text: String, at mark: Mark?) -> String? {
        let path = Self.path(text, relativeTo: log.file)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            log.add("there is no file '\(path)'; " + Self.remedy(for: path), at: mark)
            return nil
        }
        if isFolder.boolValue {
            log.add("'\(path)' is a folder; specify a database file in it", at: mark)
            return nil
        }
        return path
    }

    /// Resolves a path that is absolute, in the home folder, or relative to a file's folder.
    static func path(_ text: String, relativeTo file: String) -> String {
        let text = (text as NSString).expandingTildeInPath
        if text.hasPrefix("/") { return text }
        // Pipes and presets have no folder.
        let hasFolder = file.contains("/") && !file.hasPrefix("/dev/")
        return hasFolder ? split(file).folder + "/" + text : text
    }

    private static func remedy(for path: String) -> String {
        let (folder, name) = split(path)
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return NearestName.of(name, among: names ?? []).map { "did you mean '\($0)'?" }
            ?? "check the path"
    }

    /// Splits a path at its last slash.
    ///
    /// `NSString.deletingLastPathComponent` traps for a path of one character (Swift 6.3 on Linux).
    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.utf8.index(after: slash)...]))
    }

    mutating func decodeVariables(_ top: MappingReader) {
        let entries = top.named("variables", each: "a variable")
        for entry in entries {
            let reader = VariableReader(
                what: "variable '\(entry.name)'",
                name: entry.name,
                builtIns: dataset.variables,
                log: log,
                isDatasetIncomplete: isDatasetIncomplete
            )
            let read = reader.read(entry.value, at: entry.key.mark)
            // Keep a variable with errors so that references to it do not cause more errors.
            variables[entry.name] = read?.variable ?? Variable(distribution: .uniform)
            inheritedRanges[entry.name] = read?.source
        }
        for entry in entries {
            checkFollowed(entry.name, at: entry.value.mapping?["of"]?.mark)
            checkRow(of: entry.name, at: entry.value.mapping?["same-row"]?.mark)
        }
    }

    /// Logs an error if a variable takes its value from the row of a variable that draws none.
    private func checkRow(of name: String, at mark: Mark?) {
        guard let column = variables[name]?.column, let other = column.sameRow else { return }
        let candidates = variables.filter { candidate in
            guard case .choice = candidate.value.distribution, candidate.key != name,
                let drawn = candidate.value.column
            else { return false }
            return drawn.sameRow == nil && candidate.value.nulls == 0
                && drawn.table.lowercased() == column.table.lowercased()
        }.keys.sorted()
        guard !candidates.contains(other) else { return }
        log.add(
            "variable '\(name)': 'same-row' must be a variable that draws a row of '\(column.table)' "
                + "with 'distribution: choice' and 'column', and without 'nulls', not '\(other)'"
                + NearestName.hint(other, among: candidates),
            at: mark
        )
    }

    /// Logs an error if a variable follows a variable that is missing or not sequential.
    private func checkFollowed(_ name: String, at mark: Mark?) {
        guard let followed = variables[name]?.followedVariable else { return }
        let all = dataset.variables.merging(variables) { _, declared in declared }
        let sequential = all.filter { $0.value.distribution == .sequential }.keys.sorted()
        guard !sequential.contains(followed) else { return }
        log.add(
            all[followed] == nil
                ? "variable '\(name)': 'of' must be a sequential variable, not the unknown "
                    + "variable '\(followed)'"
                    + NearestName.hint(followed, among: sequential)
                : "variable '\(name)': 'of' must be a sequential variable, but '\(followed)' is "
                    + "not sequential",
            at: mark
        )
    }

    func decodeAction(_ reader: MappingReader) -> Client.Activity? {
        guard let word = reader.word("action") else { return nil }
        if !["every", "at", "think"].contains(where: reader.has) {
            log.add("\(reader.what) requires 'every' or 'at', such as every: 10%", at: reader.mark)
        }
        switch word {
        case "checkpoint":
            return .action(.checkpoint(reader.choice("mode") ?? .passive))
        case "backup":
            return .action(.backup(pagesPerStep: reader.integer("pages") ?? 100))
        case "cancel":
            guard reader.required("client", example: "search") != nil else { return nil }
            return otherClient(at: "client", in: reader).map { .action(.interrupt(client: $0)) }
        default:
            _ = reader.only(of: ["client", "connection"])
            if reader.has("client") {
                return otherClient(at: "client", in: reader).map { .action(.interrupt(client: $0)) }
            }
            return reader.text("connection").map { .action(.interruptConnection($0)) }
                ?? .interrupt
        }
    }

    func otherClient(at key: String, in reader: MappingReader) -> String? {
        guard let node = reader[key], let name = reader.text(key) else { return nil }
        if clientNames.contains(name) { return name }
        log.add(
            "unknown client '\(name)' in \(reader.what)"
                + NearestName.hint(name, among: clientNames),
            at: node.mark
        )
        return nil
    }

    /// Decodes `busy: {timeout: 5s, retry: fixed 1ms}` or its short form, `busy-timeout: 5s`.
    func decodeBusy(_ reader: MappingReader, into arm: inout Arm) {
        guard reader.has("busy") else {
            arm.busyTimeout = reader.duration("busy-timeout")
            return
        }
        guard let busy = reader.mapping("busy"), busy.required("timeout", example: "5s") != nil
        else {
            return
        }
        arm.busyTimeout = busy.duration("timeout")
        arm.busyRetry = busy.quantity("retry", BusyRetry.init(parsing:))
        checkPause(busy, of: arm)
    }

    /// Logs an error if a fixed pause is longer than the timeout.
    private func checkPause(_ busy: MappingReader, of arm: Arm) {
        guard case .fixed(let pause)? = arm.busyRetry, let timeout = arm.busyTimeout,
            let text = busy.text("retry"), let limit = busy.text("timeout")
        else { return }
        if timeout <= .zero {
            busy.add(
                "'retry: \(text)' of \(busy.what) requires a timeout above 0, such as timeout: 5s, "
                    + "not '\(limit)'",
                atValue: "retry"
            )
        } else if pause > timeout {
            busy.add(
                "the pause of 'retry: \(text)' of \(busy.what) must not be longer than its timeout, "
                    + "'\(limit)'",
                atValue: "retry"
            )
        }
    }
}
