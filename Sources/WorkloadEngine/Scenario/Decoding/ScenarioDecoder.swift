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
