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
        let index = generators.count
        indices[name] = index
        generators.append(
            ValueGenerator(
                variable,
                sequence: sequence(of: name),
                newest: variable.followedVariable.map { sequence(of: $0) },
                isFollowed: followed.contains(name)
            )
        )
        return index
    }
}
