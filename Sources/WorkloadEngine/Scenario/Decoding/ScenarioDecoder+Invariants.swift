import Text
import Yams

extension ScenarioDecoder {
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
                name = decodeKnownInvariant(item, top, clients: clients)
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
        _ top: MappingReader,
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
}
