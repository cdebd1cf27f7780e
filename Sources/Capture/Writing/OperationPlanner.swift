import WorkloadEngine

/// Turns shapes of transactions into operations, and their slots into variables.
struct OperationPlanner {
    /// Rests below this are part of what a generator needs between two statements anyway.
    private static let leastPause = 20e-6

    let schema: CaptureSchema
    let options: CaptureOptions
    private(set) var variables = VariableRegistry()
    private var names: Set<String> = []

    init(schema: CaptureSchema, options: CaptureOptions) {
        self.schema = schema
        self.options = options
    }

    /// The operation of a shape.
    mutating func plan(_ shape: ShapeStatistics, number: Int) -> PlannedOperation {
        var operation = PlannedOperation(
            name: name(of: shape),
            shape: number,
            writes: shape.writes,
            steps: [],
            problems: []
        )
        var slots = SlotNames(shape, SlotPlanner(schema: schema, options: options))
        var position = 0
        for (index, occurrence) in shape.occurrences.enumerated() {
            let length = occurrence.part.length
            let range = position..<(position + length)
            switch occurrence.part {
            case .statement:
                addPause(before: position, of: shape, &operation.steps)
                operation.steps.append(.statement(slots.sql(at: position, &variables)))
            case .loop:
                let count = max(2, Int(shape.repetitions[index].mean.rounded()))
                addLoop(range, count, shape, &slots, &operation.steps)
            }
            position += length
        }
        addPause(before: position, of: shape, &operation.steps)
        operation.problems = slots.problems
        let rolledBack = shape.outcomes[.rolledBack] ?? 0
        if rolledBack * 20 > shape.count {
            operation.problems.append(
                "\(TimeText.share(Double(rolledBack) / Double(shape.count))) of its transactions "
                    + "were rolled back; here all commit"
            )
        }
        return operation
    }

    private mutating func addLoop(
        _ range: Range<Int>,
        _ count: Int,
        _ shape: ShapeStatistics,
        _ slots: inout SlotNames,
        _ steps: inout [PlannedOperation.Step]
    ) {
        // What stays the same in all repetitions is drawn before them.
        let kept = slots.keepConstants(in: range, &variables)
        if !kept.isEmpty {
            let drawn = kept.map { ":\($0.drawn)" }.joined(separator: ", ")
            steps.append(.keep(sql: "SELECT \(drawn)", into: kept.map(\.name)))
        }
        var body: [PlannedOperation.Step] = []
        for position in range {
            addPause(before: position, of: shape, &body)
            body.append(.statement(slots.sql(at: position, &variables)))
        }
        steps.append(.loop(count, body))
    }

    private func addPause(
        before position: Int,
        of shape: ShapeStatistics,
        _ steps: inout [PlannedOperation.Step]
    ) {
        guard let rest = shape.rest(before: position, least: Self.leastPause) else { return }
        steps.append(.pause(rest))
    }

    /// A name such as `update-accounts`, different from all others.
    private mutating func name(of shape: ShapeStatistics) -> String {
        let main =
            shape.positions.first { !$0.readsOnly && $0.isChange } ?? shape.positions.first
        var base = (main?.verb ?? "access").lowercased()
        if let table = main?.table { base += "-" + VariableRegistry.identifier(table).prefix(60) }
        let count = shape.positions.count
        if count > 1 { base += "-and-\(count - 1)" }
        var name = base
        var number = 2
        while !names.insert(name).inserted {
            name = "\(base)-\(number)"
            number += 1
        }
        return name
    }
}

/// The names of the variables that a transaction's slots become.
private struct SlotNames {
    private let shape: ShapeStatistics
    private let planner: SlotPlanner
    private let groups: SlotGroups
    /// The variable of each group of equal slots.
    private var names: [SlotGroups.Place: String] = [:]
    /// What a loop uses in place of a variable.
    private var constants: [SlotGroups.Place: String] = [:]
    private(set) var problems: [String] = []

    init(_ shape: ShapeStatistics, _ planner: SlotPlanner) {
        self.shape = shape
        self.planner = planner
        groups = SlotGroups(shape)
    }

    /// The SQL of the statement at a position.
    mutating func sql(at position: Int, _ variables: inout VariableRegistry) -> String {
        let statement = shape.usualText(at: position)
        var texts: [String] = []
        for (index, slot) in statement.slots.enumerated() {
            let place = SlotGroups.Place(position: position, slot: index)
            let text = text(of: slot, at: place, previous: texts.last, &variables)
            texts.append(text)
        }
        return statement.sql { texts[$0] }
    }

    private mutating func text(
        of slot: StatementSlot,
        at place: SlotGroups.Place,
        previous: String?,
        _ variables: inout VariableRegistry
    ) -> String {
        let root = groups.root(of: place)
        if let name = constants[place] { return ":\(name)" }
        if root != place, let name = names[root] { return ":\(name)" }
        let (value, problem) = planner.plan(slot, at: place, of: shape)
        if let problem, !problems.contains(problem) { problems.append(problem) }
        switch value {
        case .text(let text): return text
        case .span(let span):
            guard let previous, previous.hasPrefix(":") else { return previous ?? "1" }
            return "\(previous) + \(span)"
        case .variable(let base, let yaml, let comment):
            let name = variables.name(
                base,
                yaml: yaml,
                comment: comment,
                excluding: Set(names.values)
            )
            names[root] = name
            return ":\(name)"
        }
    }

    /// Draws what is the same in all repetitions of a loop before them.
    mutating func keepConstants(
        in range: Range<Int>,
        _ variables: inout VariableRegistry
    ) -> [(name: String, drawn: String)] {
        var kept: [SlotGroups.Place: (name: String, drawn: String)] = [:]
        var order: [SlotGroups.Place] = []
        for position in range {
            for (index, slot) in shape.positions[position].slots.enumerated() {
                guard shape.isConstant(position, index) else { continue }
                let place = SlotGroups.Place(position: position, slot: index)
                let root = groups.root(of: place)
                if let known = kept[root] {
                    constants[place] = known.name
                    continue
                }
                let text = text(of: slot, at: place, previous: nil, &variables)
                guard text.hasPrefix(":") else { continue }
                let drawn = String(text.dropFirst())
                let name = "kept_\(drawn)"
                kept[root] = (name, drawn)
                order.append(root)
                constants[place] = name
            }
        }
        return order.compactMap { kept[$0] }
    }
}

extension ShapeStatistics {
    /// The most frequent text of the statement at a position: lists differ in length.
    func usualText(at position: Int) -> NormalizedStatement {
        texts[position].max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?
            .value.statement ?? positions[position]
    }

    /// Whether a slot of a loop has one value in all repetitions, and others in other transactions.
    func isConstant(_ position: Int, _ slot: Int) -> Bool {
        guard !varies[position][slot] else { return false }
        let sample = values[position][slot]
        return sample.counts.count > 1
    }
}
