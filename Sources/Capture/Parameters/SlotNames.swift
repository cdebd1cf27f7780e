import WorkloadEngine

struct SlotNames {
    private let shape: ShapeStatistics
    private let planner: SlotPlanner
    private let groups: SlotGroups
    /// The variable of each group of equal slots.
    private var names: [SlotGroups.Place: String] = [:]
    /// The variable of each slot whose value is the same in all repetitions of a loop.
    private var constants: [SlotGroups.Place: String] = [:]
    /// The shared variables of long lists and of inserts with many rows.
    private var cycles: [Cycle: String] = [:]
    private(set) var problems: [String] = []

    /// The items of a list, or the rows of an insert, that share a variable.
    private struct Cycle: Hashable {
        var position: Int
        var column: Variable.Column
        var number: Int

        /// Creates the group of a list item or an inserted row, or returns `nil` for other slots.
        ///
        /// Items of a list whose positions differ by a multiple of 32 share a variable. The same
        /// applies, for each column, to rows of an insert whose positions differ by a multiple of
        /// eight. Sharing limits the number of variables.
        init?(_ slot: StatementSlot, position: Int) {
            guard let column = slot.column else { return nil }
            switch slot.role {
            case .insert(let row): number = -1 - row % 8
            case .list(let index): number = index % 32
            default: return nil
            }
            self.position = position
            self.column = column
        }
    }

    init(_ shape: ShapeStatistics, _ planner: SlotPlanner) {
        self.shape = shape
        self.planner = planner
        groups = SlotGroups(shape)
    }

    mutating func sql(at position: Int, _ variables: inout VariableRegistry) -> String {
        let statement = shape.mostFrequentText(at: position)
        var texts: [String] = []
        for (index, slot) in statement.slots.enumerated() {
            let place = SlotGroups.Place(position: position, slot: index)
            let text = text(of: slot, in: statement, at: place, previous: texts.last, &variables)
            texts.append(text)
        }
        return statement.sql { texts[$0] }
    }

    private mutating func text(
        of slot: StatementSlot,
        in statement: NormalizedStatement,
        at place: SlotGroups.Place,
        previous: String?,
        _ variables: inout VariableRegistry
    ) -> String {
        let root = groups.root(of: place)
        if let name = constants[place] { return ":\(name)" }
        if root != place, let name = names[root] { return ":\(name)" }
        let cycle = Cycle(slot, position: place.position)
        if let cycle, let name = cycles[cycle] { return ":\(name)" }
        let (value, problem) = planner.plan(slot, in: statement, at: place, of: shape)
        if let problem, !problems.contains(problem) { problems.append(problem) }
        switch value {
        case .text(let text): return text
        case .span(let span):
            guard let previous, previous.hasPrefix(":"), span != 0 else { return previous ?? "1" }
            return "\(previous) + \(span)"
        case .variable(let variable):
            let name = variables.name(
                variable.base,
                variable: variable.variable,
                comment: variable.comment,
                excluding: Set(names.values)
            )
            names[root] = name
            if let cycle { cycles[cycle] = name }
            return ":\(name)"
        }
    }

    /// Creates variables for values that are the same in all repetitions of a loop.
    ///
    /// - Returns: The name of each variable, and the name of the variable that supplies its value.
    mutating func keepConstants(
        in range: Range<Int>,
        _ variables: inout VariableRegistry
    ) -> [(name: String, source: String)] {
        var keptVariables: [SlotGroups.Place: (name: String, source: String)] = [:]
        var order: [SlotGroups.Place] = []
        for position in range {
            let statement = shape.positions[position]
            for (index, slot) in statement.slots.enumerated() {
                guard shape.isConstant(at: position, slot: index) else { continue }
                let place = SlotGroups.Place(position: position, slot: index)
                let root = groups.root(of: place)
                if let variable = keptVariables[root] {
                    constants[place] = variable.name
                    continue
                }
                let text = text(of: slot, in: statement, at: place, previous: nil, &variables)
                guard text.hasPrefix(":") else { continue }
                let source = String(text.dropFirst())
                let name = "kept_\(source)"
                keptVariables[root] = (name, source)
                order.append(root)
                constants[place] = name
            }
        }
        return order.compactMap { keptVariables[$0] }
    }
}

extension ShapeStatistics {
    /// Returns the most frequent text of the statement at a position.
    ///
    /// The lists in the text may have any length.
    func mostFrequentText(at position: Int) -> NormalizedStatement {
        texts[position].max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?
            .value.statement ?? positions[position]
    }

    /// Returns whether a slot has the same value in all repetitions of a loop, but varies between
    /// transactions.
    func isConstant(at position: Int, slot: Int) -> Bool {
        guard !varies[position][slot] else { return false }
        let sample = values[position][slot]
        return sample.counts.count > 1
    }
}
