import Scenarios

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

    /// The places whose values come from one row together with others.
    private let joined: Set<SlotGroups.Place>

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
        let groups = SlotGroups(shape)
        self.groups = groups
        joined = Set(
            shape.positions.indices.flatMap { position in
                planner.joinedSlots(of: shape.positions[position])
                    .map { groups.root(of: SlotGroups.Place(position: position, slot: $0)) }
            }
        )
    }

    mutating func sql(at position: Int, _ variables: inout VariableRegistry) -> String {
        let statement = shape.mostFrequentText(at: position)
        var texts: [String] = []
        var rows = RowVariables()
        for (index, slot) in statement.slots.enumerated() {
            let place = SlotGroups.Place(position: position, slot: index)
            texts.append(
                text(
                    of: slot,
                    in: statement,
                    at: place,
                    previous: texts.last,
                    rows: &rows,
                    &variables
                )
            )
        }
        return statement.sql { texts[$0] }
    }

    private mutating func text(
        of slot: StatementSlot,
        in statement: NormalizedStatement,
        at place: SlotGroups.Place,
        previous: String?,
        rows: inout RowVariables,
        _ variables: inout VariableRegistry
    ) -> String {
        let root = groups.root(of: place)
        let row = planner.row(of: slot)
        if let name = constants[place] {
            // Each repetition of a loop draws a new row, but keeps this value.
            rows.keep(row)
            return ":\(name)"
        }
        if root != place, let name = names[root] {
            rows.add(name, of: slot, in: row, variables)
            return ":\(name)"
        }
        let cycle = Cycle(slot, position: place.position)
        if let cycle, let name = cycles[cycle] { return ":\(name)" }
        let (value, problem) = planner.plan(slot, in: statement, at: place, of: shape)
        if let problem { addProblem(problem) }
        switch value {
        case .text(let text): return text
        case .span(let span):
            guard let previous, previous.hasPrefix(":"), span != 0 else { return previous ?? "1" }
            return "\(previous) + \(span)"
        case .variable(var variable):
            let isJoined = joined.contains(root)
            if !rows.join(&variable, of: slot, in: row, isJoined: isJoined, variables) {
                addProblem("the row with the values of \(slot.described) and others")
            }
            let name = variables.name(
                variable.base,
                variable: variable.variable,
                comment: variable.comment,
                excluding: Set(names.values)
            )
            names[root] = name
            rows.add(name, of: slot, in: row, variables)
            if let cycle { cycles[cycle] = name }
            return ":\(name)"
        }
    }

    private mutating func addProblem(_ problem: String) {
        if !problems.contains(problem) { problems.append(problem) }
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
            var rows = RowVariables()
            for (index, slot) in statement.slots.enumerated() {
                guard shape.isConstant(at: position, slot: index) else { continue }
                let place = SlotGroups.Place(position: position, slot: index)
                let root = groups.root(of: place)
                if let variable = keptVariables[root] {
                    constants[place] = variable.name
                    continue
                }
                let text = text(
                    of: slot,
                    in: statement,
                    at: place,
                    previous: nil,
                    rows: &rows,
                    &variables
                )
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

/// A type that finds slots in a transaction that have the same value and can share a variable.
struct SlotGroups {
    struct Place: Hashable {
        var position: Int
        var slot: Int
    }

    private var parents: [Place: Place] = [:]

    /// The number of transactions required to establish that two slots are equal.
    private static let minimumCount = 3
    /// The minimum share of transactions that must have equal values in two slots.
    private static let agreement = 0.95

    init(_ shape: ShapeStatistics) {
        let places = shape.positions.indices.flatMap { position in
            shape.positions[position].slots.indices
                .filter { shape.positions[position].slots[$0].role.isComparable }
                .map { Place(position: position, slot: $0) }
        }
        for (index, first) in places.enumerated() {
            for second in places[(index + 1)...]
            where Self.areEqual(first, and: second, in: shape) {
                parents[root(of: second)] = root(of: first)
            }
        }
    }

    /// Returns the place that represents all places with the same value.
    func root(of place: Place) -> Place {
        var place = place
        while let parent = parents[place], parent != place { place = parent }
        return place
    }

    private static func areEqual(
        _ first: Place,
        and second: Place,
        in shape: ShapeStatistics
    ) -> Bool {
        var sharedCount = 0
        var equalCount = 0
        var values: Set<WorkloadValue> = []
        for kept in shape.keptValues {
            guard let firstValue = value(first, kept: kept),
                let secondValue = value(second, kept: kept)
            else {
                continue
            }
            sharedCount += 1
            if firstValue == secondValue {
                equalCount += 1
                values.insert(firstValue)
            }
        }
        let column = shape.positions[first.position].slots[first.slot].column
        let isSameColumn =
            column != nil && column == shape.positions[second.position].slots[second.slot].column
        guard sharedCount >= minimumCount else {
            guard isSameColumn, sharedCount == 0,
                Self.isRangeEnd(first, in: shape) == Self.isRangeEnd(second, in: shape)
            else { return false }
            // Without values, equal parameter names indicate equal values.
            if let name = Self.name(first, shape: shape),
                let secondName = Self.name(second, shape: shape)
            {
                return name == secondName
            }
            // Without names, two statements on the same column probably refer to the same row.
            return first.position != second.position
        }
        // Equal constants, such as two zeros, are not evidence.
        guard values.count > 1 || isSameColumn else { return false }
        return Double(equalCount) >= agreement * Double(sharedCount)
    }

    private static func isRangeEnd(_ place: Place, in shape: ShapeStatistics) -> Bool {
        shape.positions[place.position].slots[place.slot].role == .rangeEnd
    }

    /// Returns the parameter's name, or `nil` for a literal, for `?`, and for a numbered parameter
    /// such as `?2` or `:p2`.
    ///
    /// A number identifies a parameter only within one statement.
    private static func name(_ place: Place, shape: ShapeStatistics) -> String? {
        let name = shape.positions[place.position].parameterNames[place.slot]
        guard let name else { return nil }
        let digits = name.first == "p" && name.count > 1 ? name.dropFirst() : name[...]
        return digits.allSatisfy(\.isNumber) ? nil : name
    }

    private static func value(_ place: Place, kept: [[WorkloadValue?]]) -> WorkloadValue? {
        guard place.position < kept.count, place.slot < kept[place.position].count else {
            return nil
        }
        return kept[place.position][place.slot]
    }
}

extension StatementSlot.Role {
    /// Whether to compare the slot with others.
    ///
    /// The first items of a list represent all its items, and the first row of an insert represents
    /// all its rows.
    fileprivate var isComparable: Bool {
        switch self {
        case .list(let position): position < 4
        case .insert(let row): row == 0
        case .rangeWidth: false
        default: true
        }
    }
}

/// The variables of a captured scenario, by name.
package struct VariableRegistry {
    struct Entry: Equatable {
        var name: String
        var variable: Variable
        var comment: String
    }

    private(set) var entries: [Entry] = []

    /// Returns the name of the variable with the given definition, adding the variable if
    /// necessary.
    ///
    /// - Parameters:
    ///   - base: The preferred name.
    ///   - variable: The definition.
    ///   - comment: An explanation of the choice.
    ///   - used: Names that must not be reused, because one access needs different values.
    /// - Returns: The name of the variable.
    mutating func name(
        _ base: String,
        variable: Variable,
        comment: String,
        excluding used: Set<String> = []
    ) -> String {
        let base = Self.identifier(base)
        var number = 1
        while true {
            let name = number == 1 ? base : "\(base)_\(number)"
            if let entry = entries.first(where: { $0.name == name }) {
                if entry.variable == variable, !used.contains(name) { return name }
            } else if !used.contains(name) {
                entries.append(Entry(name: name, variable: variable, comment: comment))
                return name
            }
            number += 1
        }
    }

    func variable(named name: String) -> Variable? {
        entries.first { $0.name == name }?.variable
    }

    /// Converts a string to a valid name of an SQL parameter: ASCII letters, digits, and `_`.
    ///
    /// YAML limits keys to 1,024 characters.
    package static func identifier(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(200) {
            let isValid =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
                || ("0"..."9").contains(scalar)
            result.unicodeScalars.append(isValid ? scalar : "_")
        }
        return result.first?.isLetter == true ? result : "v_" + result
    }
}

/// The variables that draw the rows which contain the values of a statement.
struct RowVariables {
    /// The names by the alias of the table, or an empty name for a row with a value that a loop keeps.
    private var names: [String: String] = [:]

    /// Notes the variable of a slot, unless another variable draws the row of its value.
    mutating func add(
        _ name: String,
        of slot: StatementSlot,
        in row: String?,
        _ variables: VariableRegistry
    ) {
        guard let row, names[row] == nil, Self.draws(name, slot.column, variables),
            let variable = variables.variable(named: name), case .choice = variable.distribution
        else { return }
        names[row] = variable.column?.sameRow ?? name
    }

    /// Notes that a loop keeps a value of a row.
    mutating func keep(_ row: String?) {
        if let row { names[row] = "" }
    }

    /// Makes a variable draw its value from the row of the statement's other values.
    ///
    /// - Parameters:
    ///   - variable: The variable of the slot.
    ///   - slot: The slot.
    ///   - row: The alias of the table whose row contains the value, or `nil` for none.
    ///   - isJoined: Whether the row contains other values.
    ///   - variables: The known variables.
    /// - Returns: Whether this is possible.
    func join(
        _ variable: inout ColumnVariable,
        of slot: StatementSlot,
        in row: String?,
        isJoined: Bool,
        _ variables: VariableRegistry
    ) -> Bool {
        guard variable.isDrawnFromRows else { return true }
        guard let row, let other = names[row] else {
            if isJoined { variable.drawRows() }
            return true
        }
        guard !other.isEmpty else { return false }
        // A row has only one value in a column.
        if !Self.draws(other, slot.column, variables) { variable.takeValue(fromRowOf: other) }
        return true
    }

    /// Returns whether the values of a variable come from a column.
    private static func draws(
        _ name: String,
        _ column: Variable.Column?,
        _ variables: VariableRegistry
    ) -> Bool {
        let found = variables.variable(named: name)?.column
        return found != nil && found?.table == column?.table && found?.name == column?.name
    }
}
