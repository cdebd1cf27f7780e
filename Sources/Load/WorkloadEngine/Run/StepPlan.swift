import Scenarios

/// A step that refers to variables by their indices in the list of generators.
indirect enum StepPlan: Sendable {
    case run(ClientPlan.StatementPlan)
    /// A statement that stores its first row in variables.
    case fetch(ClientPlan.StatementPlan, into: [Int])
    case when(ConditionPlan, then: [StepPlan], otherwise: [StepPlan])
    case times(Int, [StepPlan])
    case pause(ThinkTime)
}

/// A condition that refers to variables by their indices in the list of generators.
struct ConditionPlan: Sendable {
    enum Operand: Sendable {
        case variable(Int)
        case value(WorkloadValue)
    }

    let left: Operand
    let comparison: Condition.Comparison
    let right: Operand
}

extension Condition.Comparison {
    func holds(_ left: WorkloadValue, _ right: WorkloadValue) -> Bool {
        if self == .same { return left == right || order(left, right) == 0 }
        guard let order = order(left, right) else { return false }
        return switch self {
        case .atMost: order <= 0
        case .atLeast: order >= 0
        case .differs: order != 0
        case .equals: order == 0
        case .less: order < 0
        case .greater: order > 0
        case .same: true
        }
    }

    /// Returns −1, 0, or 1, or `nil` if a value is NULL.
    ///
    /// Numbers sort before text, and text sorts before blobs
    /// (<https://sqlite.org/datatype3.html#comparisons>).
    private func order(_ left: WorkloadValue, _ right: WorkloadValue) -> Int? {
        func compare<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
        switch (left, right) {
        case (.null, _), (_, .null): return nil
        case (.integer(let a), .integer(let b)): return compare(a, b)
        case (.integer(let a), .real(let b)): return compare(Double(a), b)
        case (.real(let a), .integer(let b)): return compare(a, Double(b))
        case (.real(let a), .real(let b)): return compare(a, b)
        case (.text(let a), .text(let b)):
            return a.utf8.elementsEqual(b.utf8)
                ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
        case (.blob(let a), .blob(let b)):
            return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        case (.integer, _), (.real, _): return -1
        case (_, .integer), (_, .real): return 1
        case (.text, .blob): return -1
        case (.blob, .text): return 1
        }
    }
}

extension VariableTable {
    mutating func plan(_ steps: [Step], client: String) throws -> [StepPlan] {
        try steps.map { step in
            switch step {
            case .run(let sql, let names):
                let statement = try plan(sql, client: client)
                if names.isEmpty { return .run(statement) }
                return .fetch(
                    statement,
                    into: try names.map { try variableIndex(of: $0, in: sql, client) }
                )
            case .when(let condition, let then, let otherwise):
                return .when(
                    ConditionPlan(
                        left: try operand(condition.left, client: client),
                        comparison: condition.comparison,
                        right: try operand(condition.right, client: client)
                    ),
                    then: try plan(then, client: client),
                    otherwise: try plan(otherwise, client: client)
                )
            case .times(let count, let steps):
                return .times(count, try plan(steps, client: client))
            case .pause(let length):
                return .pause(length)
            }
        }
    }

    private mutating func operand(
        _ operand: Condition.Operand,
        client: String
    ) throws -> ConditionPlan.Operand {
        switch operand {
        case .value(let value): .value(value)
        case .variable(let name): .variable(try variableIndex(of: name, in: "a condition", client))
        }
    }
}

extension Worker {
    func perform(_ steps: [StepPlan], of operation: Int, in session: any WorkloadSession) throws {
        for step in steps {
            switch step {
            case .run(let statement):
                try session.run(statement.sql, values.values(of: statement))
            case .fetch(let statement, let variables):
                let row =
                    try session.rows(statement.sql, values.values(of: statement)).first
                    ?? []
                for (column, variable) in variables.enumerated() {
                    values.set(column < row.count ? row[column] : .null, at: variable)
                }
            case .when(let condition, let then, let otherwise):
                let holds = condition.comparison.holds(
                    values.value(of: condition.left),
                    values.value(of: condition.right)
                )
                try perform(holds ? then : otherwise, of: operation, in: session)
            case .times(let count, let steps):
                for number in 0..<count {
                    if number > 0 { values.beginRepetition() }
                    try perform(steps, of: operation, in: session)
                }
            case .pause(let length):
                pause(length, in: operation)
            }
        }
    }

    /// The longest late wake-up that shortens later pauses, in nanoseconds.
    ///
    /// A later one is a pause of the machine, not a delay of its timers.
    private static var longestDelay: UInt64 { 1_000_000 }

    /// Pauses inside an access, at most until the load ends.
    ///
    /// Threads wake up late, so the next pauses of the same operation are shorter by the time by which
    /// this one is too long.
    private func pause(_ length: ThinkTime, in operation: Int) {
        var stream: RandomStream? = random
        let nanoseconds = length.nanoseconds(using: &stream)
        if let stream { random = stream }
        let repaid = min(pauseDelays[operation], nanoseconds)
        pauseDelays[operation] -= repaid
        guard nanoseconds > repaid else { return }
        let deadline = clock.now().addingReportingOverflow(nanoseconds - repaid).partialValue
        while control.stage < .stopped {
            let now = clock.now()
            guard now < deadline else {
                let delay = now - deadline
                if delay <= Self.longestDelay { pauseDelays[operation] += delay }
                return
            }
            let end = control.clockTime(of: phases.end)
            guard now < end else { return }
            sleeper.sleep(until: min(deadline, end))
        }
    }
}

/// The variables that statements use, with their indices in the list of generators.
struct VariableTable {
    private let scenario: Scenario
    private let known: [String: Variable]
    /// The names of the variables that other variables follow.
    private let followed: Set<String>
    private var sequences: [String: SharedSequence] = [:]
    private var indices: [String: Int] = [:]
    private(set) var generators: [ValueGenerator] = []

    init(_ scenario: Scenario) {
        self.scenario = scenario
        known = scenario.allVariables
        followed = Set(known.values.compactMap(\.followedVariable))
    }

    /// Returns the counter that a sequential variable shares with the variables that follow it.
    private mutating func sequence(of name: String) -> SharedSequence {
        if let sequence = sequences[name] { return sequence }
        let sequence = SharedSequence()
        sequences[name] = sequence
        return sequence
    }

    mutating func plan(_ sql: String, client: String) throws -> ClientPlan.StatementPlan {
        let template = StatementTemplate(sql: sql)
        let variables = try template.parameters.map { try variableIndex(of: $0, in: sql, client) }
        return ClientPlan.StatementPlan(sql: sql, variables: variables)
    }

    /// Adds the variables that the steps of an operation fetch.
    mutating func addFetched(_ names: [String]) {
        for name in names {
            indices[name] = generators.count
            // The value is NULL until a row is fetched.
            var null = Variable(distribution: .uniform, minimum: 0, maximum: 0)
            null.nulls = 1
            generators.append(ValueGenerator(null))
        }
    }

    /// Removes the variables that the steps of an operation fetch.
    mutating func removeFetched(_ names: [String]) {
        for name in names { indices[name] = nil }
    }

    mutating func variableIndex(of name: String, in text: String, _ client: String) throws -> Int {
        if let index = indices[name] { return index }
        guard let variable = known[name] else {
            throw RunError(
                .scenario,
                "client '\(client)' uses the undefined variable :\(name) in '\(text)'; the "
                    + "defined variables are "
                    + known.keys.sorted().map { ":" + $0 }.joined(separator: ", ")
            )
        }
        let row = try variable.column?.sameRow.map { try variableIndex(of: $0, in: text, client) }
        let index = generators.count
        indices[name] = index
        generators.append(
            ValueGenerator(
                variable,
                sequence: sequence(of: name),
                newest: variable.followedVariable.map { sequence(of: $0) },
                isFollowed: followed.contains(name),
                rowGenerator: row
            )
        )
        return index
    }
}
