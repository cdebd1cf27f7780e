import Text
import YAML
import Yams

/// A type that reads an operation's steps, which are statements or mappings.
struct StepReader {
    let decoder: ScenarioDecoder
    let what: String
    private(set) var fetched: Set<String> = []

    private var log: YAMLLog { decoder.log }

    init(_ decoder: ScenarioDecoder, what: String) {
        self.decoder = decoder
        self.what = what
    }

    /// Decodes the steps in a string, a mapping, or a list, or logs errors and returns `nil`.
    mutating func steps(_ node: Node) -> [Step]? {
        let items = node.sequence.map(Array.init) ?? [node]
        var steps: [Step] = []
        var isComplete = true
        for item in items {
            guard let read = item.mapping == nil ? statements(item) : step(item) else {
                isComplete = false
                continue
            }
            steps += read
        }
        if items.isEmpty { log.add("\(what) must contain a statement", at: node.mark) }
        return isComplete && !steps.isEmpty ? steps : nil
    }

    private func statements(_ node: Node) -> [Step]? {
        guard let list = SQLReader(what: what, log: log).statements(node) else { return nil }
        decoder.checkParameters(of: list, fetched: fetched)
        return list.map { .run($0.sql) }
    }

    private mutating func step(_ node: Node) -> [Step]? {
        guard let reader = MappingReader(node, what: "a step of \(what)", Language.step, log: log)
        else { return nil }
        guard let contentKey = reader.alternative() else { return nil }
        if contentKey != "sql", reader.has("into") {
            reader.add("'into' requires 'sql'", atKey: "into")
        }
        // Decode the condition first, because it cannot use variables that the step itself
        // fetches.
        let condition = condition(reader)
        guard var steps = body(contentKey, reader: reader) else { return nil }
        if reader.has("repeat") {
            guard let count: Int = reader.integer("repeat") else { return nil }
            steps = [.times(count, steps)]
        }
        return choose(steps, condition: condition, reader: reader)
    }

    private mutating func body(_ contentKey: String, reader: MappingReader) -> [Step]? {
        guard let node = reader[contentKey] else { return nil }
        switch contentKey {
        case "do": return steps(node)
        case "pause": return decoder.decodeThinkTime("pause", of: reader).map { [.pause($0)] }
        case "use": return reader.text("use").flatMap { decoder.procedure($0, at: node.mark) }
        default:
            guard reader.has("into") else { return statements(node) }
            guard let list = SQLReader(what: what, log: log).statements(node) else { return nil }
            decoder.checkParameters(of: list, fetched: fetched)
            guard list.count == 1, let statement = list.first else {
                log.add("'into' requires one statement, not \(list.count)", at: node.mark)
                return nil
            }
            return [.run(statement.sql, into: names(reader))]
        }
    }

    private mutating func names(_ reader: MappingReader) -> [String] {
        let declared = Set(decoder.variables.keys).union(decoder.dataset.variables.keys)
        return reader.texts("into").compactMap { name, mark in
            if declared.contains(name) {
                log.add("'\(name)' is already a variable; choose another name for 'into'", at: mark)
                return nil
            }
            guard MappingReader.isName(name), !name.contains("-") else {
                log.add(
                    "'\(name)' is not a valid name for a variable; use letters, digits, and '_'",
                    at: mark
                )
                return nil
            }
            fetched.insert(name)
            return name
        }
    }

    private func condition(_ reader: MappingReader) -> (Condition, isNegated: Bool)? {
        let key = reader.only(of: ["if", "unless"]) ?? "unless"
        if let condition = reader.quantity(key, Condition.init(parsing:)) {
            let known = Set(decoder.variables.keys).union(decoder.dataset.variables.keys)
                .union(fetched)
            for name in condition.variables where !known.contains(name) {
                reader.add(
                    "undefined variable ':\(name)' in '\(key)' of \(reader.what)"
                        + NearestName.hint(name, among: known.sorted()),
                    atValue: key
                )
            }
            return (condition, key == "unless")
        }
        if reader.has("else"), !reader.has("if"), !reader.has("unless") {
            reader.add("'else' requires 'if' or 'unless'", atKey: "else")
        }
        return nil
    }

    private mutating func choose(
        _ steps: [Step],
        condition: (Condition, isNegated: Bool)?,
        reader: MappingReader
    ) -> [Step]? {
        guard let condition else {
            return reader.has("if") || reader.has("unless") ? nil : steps
        }
        var other: [Step] = []
        if let node = reader["else"] {
            guard let read = self.steps(node) else { return nil }
            other = read
        }
        return [
            .when(
                condition.0,
                then: condition.isNegated ? other : steps,
                otherwise: condition.isNegated ? steps : other
            )
        ]
    }
}
