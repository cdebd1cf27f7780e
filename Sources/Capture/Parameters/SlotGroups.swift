import WorkloadEngine

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
            for second in places[(index + 1)...] where Self.areEqual(first, second, shape) {
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

    private static func areEqual(_ first: Place, _ second: Place, _ shape: ShapeStatistics) -> Bool
    {
        var sharedCount = 0
        var equalCount = 0
        var values: Set<WorkloadValue> = []
        for kept in shape.keptValues {
            guard let firstValue = value(first, kept), let secondValue = value(second, kept) else {
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
                Self.isRangeEnd(first, shape) == Self.isRangeEnd(second, shape)
            else { return false }
            // Without values, equal parameter names indicate equal values.
            if let name = Self.name(first, shape), let secondName = Self.name(second, shape) {
                return name == secondName
            }
            // Without names, two statements on the same column probably refer to the same row.
            return first.position != second.position
        }
        // Equal constants, such as two zeros, are not evidence.
        guard values.count > 1 || isSameColumn else { return false }
        return Double(equalCount) >= agreement * Double(sharedCount)
    }

    private static func isRangeEnd(_ place: Place, _ shape: ShapeStatistics) -> Bool {
        shape.positions[place.position].slots[place.slot].role == .rangeEnd
    }

    /// Returns the parameter's name, or `nil` for a literal, for `?`, and for a numbered parameter
    /// such as `?2` or `:p2`.
    ///
    /// A number identifies a parameter only within one statement.
    private static func name(_ place: Place, _ shape: ShapeStatistics) -> String? {
        let name = shape.positions[place.position].parameterNames[place.slot]
        guard let name else { return nil }
        let digits = name.first == "p" && name.count > 1 ? name.dropFirst() : name[...]
        return digits.allSatisfy(\.isNumber) ? nil : name
    }

    private static func value(_ place: Place, _ kept: [[WorkloadValue?]]) -> WorkloadValue? {
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
