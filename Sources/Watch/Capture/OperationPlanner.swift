import Scenarios
import Text

/// A planner that converts transaction shapes to operations, and their slots to variables.
struct OperationPlanner {
    let schema: CaptureSchema
    let options: CaptureOptions
    let isMachineBusy: Bool
    private(set) var variables = VariableRegistry()
    private let adjustment: FidelityAdjustment
    /// The names of the programs of the connections.
    private let programs: [String: String]
    /// The names of all planned operations.
    private var names: Set<String> = []

    init(
        schema: CaptureSchema,
        options: CaptureOptions,
        isMachineBusy: Bool,
        adjustment: FidelityAdjustment = FidelityAdjustment(),
        programs: [String: String] = [:]
    ) {
        self.schema = schema
        self.adjustment = adjustment
        self.options = options
        self.isMachineBusy = isMachineBusy
        self.programs = programs
    }

    mutating func plan(_ shape: ShapeStatistics, number: Int) -> PlannedOperation {
        var operation = PlannedOperation(
            name: name(of: shape),
            shape: number,
            writes: shape.writes,
            steps: [],
            problems: []
        )
        let planner = SlotPlanner(
            schema: schema,
            options: options,
            model: adjustment.valueModel(of: operation.name)
        )
        operation.values = planner.values(of: shape)
        var slots = SlotNames(shape, planner)
        var position = 0
        for (index, occurrence) in shape.occurrences.enumerated() {
            let length = occurrence.part.length
            let range = position..<(position + length)
            switch occurrence.part {
            case .statement:
                addPause(
                    shape.pause(before: position, minimum: minimum, isMachineBusy: isMachineBusy),
                    to: &operation.steps
                )
                operation.steps.append(.run(slots.sql(at: position, &variables)))
            case .loop:
                let count = max(2, Int(shape.repetitions[index].mean.rounded()))
                addLoop(range, count: count, shape: shape, slots: &slots, to: &operation.steps)
            }
            position += length
        }
        addPause(
            shape.pause(before: position, minimum: minimum, isMachineBusy: isMachineBusy),
            to: &operation.steps
        )
        // On a busy machine, this is the time in which other threads used the processors.
        if !isMachineBusy,
            let rest = shape.unmodeledSeconds(pauses: operation.steps.pauseSeconds),
            rest >= max(minimum, Self.largeRest * shape.durations.mean)
        {
            addPause(PauseModel(constant: rest), to: &operation.steps)
        }
        operation.problems = slots.problems
        let rolledBack = shape.outcomes[.rolledBack] ?? 0
        if rolledBack * 20 > shape.count {
            operation.problems.append(
                "\(ReportUnits.compactShare(Double(rolledBack) / Double(shape.count))) of its transactions "
                    + "were rolled back; in the scenario, all of them commit"
            )
        }
        return operation
    }

    private mutating func addLoop(
        _ range: Range<Int>,
        count: Int,
        shape: ShapeStatistics,
        slots: inout SlotNames,
        to steps: inout [Step]
    ) {
        // Before the loop, draw the values that all repetitions share.
        let keptVariables = slots.keepConstants(in: range, &variables)
        if !keptVariables.isEmpty {
            let sources = keptVariables.map { ":\($0.source)" }.joined(separator: ", ")
            steps.append(.run("SELECT \(sources)", into: keptVariables.map(\.name)))
        }
        let start = range.lowerBound
        addPause(
            shape.pause(beforeLoopAt: start, minimum: minimum, isMachineBusy: isMachineBusy),
            to: &steps
        )
        var body: [Step] = []
        for position in range {
            addPause(
                shape.pause(before: position, minimum: minimum, isMachineBusy: isMachineBusy),
                to: &body
            )
            body.append(.run(slots.sql(at: position, &variables)))
        }
        steps.append(.times(count, body))
    }

    private func addPause(_ pause: PauseModel?, to steps: inout [Step]) {
        if let pause { steps.append(.pause(pause.thinkTime)) }
    }

    /// The share of a transaction's time from which the gaps that are too short for pauses of their own
    /// become one pause at the end.
    private static let largeRest = 0.1
    /// The shortest pause to model, in seconds.
    private var minimum: Double { PauseModel.shortest }

    /// Returns a unique name such as `update-accounts` or, if another program has an operation of
    /// that name, `update-accounts-jobs`.
    private mutating func name(of shape: ShapeStatistics) -> String {
        let main =
            shape.positions.first { !$0.isReadOnly && $0.isChange } ?? shape.positions.first
        var base = (main?.verb ?? "access").lowercased()
        if let table = main?.table { base += "-" + VariableRegistry.identifier(table).prefix(60) }
        let users = Set(shape.connections.map { programs[$0] })
        let program = users.count == 1 ? users.first.flatMap(\.self) : nil
        var candidates = [base] + (program.map { ["\(base)-\($0)"] } ?? [])
        let last = candidates[candidates.count - 1]
        var number = 2
        while let name = candidates.first {
            if names.insert(name).inserted { return name }
            candidates.removeFirst()
            if candidates.isEmpty {
                candidates.append("\(last)-\(number)")
                number += 1
            }
        }
        return base
    }
}

/// An operation of the scenario, planned from a transaction shape.
struct PlannedOperation {
    var name: String
    /// The number of the shape.
    var shape: Int
    var writes: Bool
    var steps: [Step]
    /// The parts of the shape that the operation does not model.
    var problems: [String]
    var values = OperationValues()

    /// The program's statements, with the number of executions.
    ///
    /// A query for the values of later steps is not one of them.
    var statements: [(sql: String, count: Int)] { steps.flatMap(Self.statements) }

    private static func statements(of step: Step) -> [(sql: String, count: Int)] {
        switch step {
        case .run(let sql, into: let names): names.isEmpty ? [(sql, 1)] : []
        case .times(let count, let steps):
            steps.flatMap(statements).map { ($0.sql, $0.count * count) }
        case .pause, .when: []
        }
    }
}
