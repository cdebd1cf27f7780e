import Scenarios

/// The values of the statement parameters in an access.
///
/// A value is drawn on first use and stays constant during the access. The returned arrays are
/// reused so that an access with only integers does not allocate memory.
struct StatementValues {
    private var generators: [ValueGenerator]
    private var random: RandomStream
    private var current: [WorkloadValue]
    /// The number of the access in which each variable was last drawn or fetched.
    private var lastDraws: [UInt64]
    private var access: UInt64 = 0
    private var fetched: [Int] = []
    /// The indices of the variables that other variables follow.
    private let followed: [Int]
    /// The reusable arrays, indexed by the number of parameters.
    private var buffers: [[WorkloadValue]]

    init(_ generators: [ValueGenerator], random: RandomStream) {
        self.generators = generators
        self.random = random
        followed = generators.indices.filter { generators[$0].followed != nil }
        current = Array(repeating: .null, count: generators.count)
        lastDraws = Array(repeating: 0, count: generators.count)
        buffers = (0...generators.count).map { Array(repeating: .null, count: $0) }
    }

    /// Starts an access, in which each variable is drawn again.
    mutating func begin() {
        access &+= 1
    }

    /// Whether other variables follow one of the values.
    var publishes: Bool { !followed.isEmpty }

    /// Publishes the access's values to the variables that follow them.
    ///
    /// Call this method only after the access completes. Otherwise, other accesses could search for
    /// a row that does not exist yet.
    @inline(__always)
    func publish() {
        for variable in followed where lastDraws[variable] == access {
            generators[variable].followed?.publish(generators[variable].lastInteger)
        }
    }

    /// Discards drawn values at the start of a repetition, but keeps fetched values.
    mutating func beginRepetition() {
        let last = access
        access &+= 1
        for index in fetched where lastDraws[index] == last { lastDraws[index] = access }
    }

    mutating func set(_ value: WorkloadValue, at index: Int) {
        if !fetched.contains(index) { fetched.append(index) }
        current[index] = value
        lastDraws[index] = access
    }

    mutating func value(of operand: ConditionPlan.Operand) -> WorkloadValue {
        switch operand {
        case .value(let value): value
        case .variable(let index): value(at: index)
        }
    }

    private mutating func value(at index: Int) -> WorkloadValue {
        if lastDraws[index] != access { draw(index) }
        return current[index]
    }

    private mutating func draw(_ index: Int) {
        lastDraws[index] = access
        if let row = generators[index].rowGenerator {
            if lastDraws[row] != access { draw(row) }
            current[index] = generators[index].value(inRow: generators[row].lastInteger)
        } else {
            current[index] = generators[index].next(using: &random)
        }
    }

    mutating func values(of statement: ClientPlan.StatementPlan) -> [WorkloadValue] {
        let count = statement.variables.count
        guard count > 0 else { return [] }
        for position in 0..<count {
            let variable = statement.variables[position]
            if lastDraws[variable] != access { draw(variable) }
            buffers[count][position] = current[variable]
        }
        return buffers[count]
    }
}
