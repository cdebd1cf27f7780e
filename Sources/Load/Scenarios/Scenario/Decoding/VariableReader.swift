import Text
import YAML
import Yams

/// A type that reads the distribution of a variable, a column, or a length.
struct VariableReader {
    /// The owner of the distribution, as described in messages, such as `variable 'aid'`.
    let what: String
    var name: String?
    /// The dataset's variables, which can provide ranges for other variables.
    let builtIns: [String: Variable]
    let log: YAMLLog
    /// Whether the dataset has errors, so that some of its variables may be missing.
    var isDatasetIncomplete = false

    struct Result {
        var variable: Variable
        var source: RangeSource?
    }

    /// Decodes the variable and logs errors, or returns `nil` if the distribution is unknown.
    func read(
        _ node: Node,
        as shape: MappingShape = Language.variable,
        at mark: Mark?
    ) -> Result? {
        guard let reader = MappingReader(node, what: what, shape, at: mark, log: log),
            reader.required("distribution", example: "uniform") != nil,
            let kind: VariableKind = reader.choice("distribution")
        else { return nil }
        var result = Result(variable: Variable(distribution: distribution(kind, reader: reader)))
        result.variable.nulls = reader.quantity("nulls", Quantity.share) ?? 0
        result.variable.column = column(reader)
        guard kind.isInteger else { return result }
        let inherited = inherited(reader)
        result.variable.isHashed = reader.bool("hashed") ?? inherited?.isHashed ?? false
        result.variable.prefix = reader.text("prefix") ?? inherited?.prefix
        result.source = source(kind, reader: reader)
        let range = range(kind, reader: reader, source: result.source)
        result.variable.minimum = range.lowerBound
        result.variable.maximum = range.upperBound
        return result
    }

    // MARK: The distribution

    private func distribution(
        _ kind: VariableKind,
        reader: MappingReader
    ) -> Variable.Distribution {
        let theta =
            kind == .choice
            ? Variable.usualTheta : reader.positive("theta", maximum: 100) ?? Variable.usualTheta
        if kind == .choice, !reader.has("column") {
            for key in ["theta", "distinct", "same-row"] where reader.has(key) {
                reader.add("'\(key)' of \(what) requires 'column'", atKey: key)
            }
        }
        switch kind {
        case .uniform: return .uniform
        case .zipfian: return .zipfian(theta: theta, scramble: reader.bool("scramble") ?? false)
        case .latest: return .latest(theta: theta, of: reader.text("of"))
        case .hotspot:
            let set = share("set", reader: reader) ?? 0.2
            return .hotspot(set: set, draws: share("draws", reader: reader) ?? 0.8)
        case .exponential: return .exponential(parameter: parameter(reader, minimum: 0))
        case .gaussian:
            return .gaussian(
                parameter: parameter(reader, minimum: Variable.leastParameter)
            )
        case .sequential: return .sequential
        case .text: return .text(length: length(reader, maximum: 1_000_000))
        case .blob: return .blob(length: length(reader, maximum: 1_000_000_000))
        case .words:
            let vocabulary = reader.integer("vocabulary") ?? 1000
            return .words(length: length(reader, maximum: 100_000), vocabulary: vocabulary)
        case .template:
            _ = reader.required("template", example: "'+49 ### #######'")
            return .template(reader.text("template") ?? "")
        case .choice: return choice(reader)
        }
    }

    private func share(_ key: String, reader: MappingReader) -> Double? {
        guard let share = reader.quantity(key, Quantity.share) else { return nil }
        if share > 0 { return share }
        reader.add("'\(key)' of \(what) must be above 0%", atValue: key)
        return nil
    }

    private func parameter(_ reader: MappingReader, minimum: Double) -> Double {
        guard let value = reader.positive("parameter", maximum: 1000) else { return 5 }
        if value >= minimum { return value }
        reader.add("'parameter' of \(what) must be at least \(minimum)", atValue: "parameter")
        return minimum
    }

    private func choice(_ reader: MappingReader) -> Variable.Distribution {
        if reader.has("column") || reader.has("table") { return .choice([], weights: []) }
        guard let node = reader.required("values", example: "[draft, sent]") else {
            return .choice([], weights: [])
        }
        guard let values = node.sequence, !values.isEmpty else {
            log.add("'values' of \(what) must be a list, such as [draft, sent]", at: node.mark)
            return .choice([], weights: [])
        }
        let weights = reader["weights"]?.sequence.map(Array.init) ?? []
        if let node = reader["weights"], weights.count != values.count {
            log.add(
                "'weights' of \(what) must be a list with a number for each of the "
                    + "\(values.count) values",
                at: node.mark
            )
        }
        return .choice(
            values.map { WorkloadValue(yaml: $0) },
            weights: weights.map { node in
                let weight = node.scalar.flatMap { Double($0.string) } ?? 0
                if weight > 0, weight < .infinity { return weight }
                log.add(
                    "a weight must be a number above 0, not \(MappingReader.text(of: node))",
                    at: node.mark
                )
                return 1
            }
        )
    }

    private func length(_ reader: MappingReader, maximum: Int) -> Variable.Length {
        guard let node = reader.required("length", example: "100") else { return 1 }
        guard let text = node.scalar?.string else {
            let lengths = VariableReader(what: "'length' of \(what)", builtIns: [:], log: log)
            let read = lengths.read(node, as: Language.length, at: node.mark)
            guard let variable = read?.variable else { return 1 }
            if variable.minimum < 0 || variable.maximum > maximum {
                log.add("'length' of \(what) must be from 0 to \(maximum)", at: node.mark)
                return 1
            }
            return .drawn(variable)
        }
        let bytes = Int(text) ?? (try? Quantity.bytes(text)).map { Int($0) }
        guard let bytes, (0...maximum).contains(bytes) else {
            log.add(
                "'length' of \(what) must be a length from 0 to \(maximum), such as 100 or 4KiB, or a "
                    + "distribution, not '\(text)'",
                at: node.mark
            )
            return 1
        }
        return .fixed(bytes)
    }

    // MARK: The range

    /// Decodes the database column that provides the values.
    ///
    /// A dataset's columns and lengths cannot use a database column.
    private func column(_ reader: MappingReader) -> Variable.Column? {
        guard reader.has("table") || reader.has("column") else { return nil }
        guard reader.required("table", example: "accounts") != nil,
            reader.required("column", example: "id") != nil,
            let table = reader.text("table"), let column = reader.text("column")
        else { return nil }
        if name == nil {
            reader.add("\(what) cannot use the values of a column", atKey: "column")
        }
        let isChoice = reader["distribution"]?.scalar?.string == VariableKind.choice.rawValue
        guard isChoice else { return Variable.Column(table: table, name: column) }
        _ = reader.only(of: ["theta", "distinct", "same-row"])
        _ = reader.only(of: ["nulls", "same-row"])
        let isDistinct = reader.bool("distinct") ?? false
        return Variable.Column(
            table: table,
            name: column,
            theta: isDistinct ? 0 : reader.positive("theta", maximum: 100),
            sameRow: reader.text("same-row")
        )
    }

    /// Returns the dataset's variable with the same name, or the variable in `range`.
    private func inherited(_ reader: MappingReader) -> Variable? {
        if let other = reader["range"]?.scalar?.string { return builtIns[other] }
        guard !["min", "max", "after", "table", "column"].contains(where: reader.has) else {
            return nil
        }
        return name.flatMap { builtIns[$0] }
    }

    private func source(_ kind: VariableKind, reader: MappingReader) -> RangeSource? {
        _ = reader.only(of: ["range", "after", "min"])
        for key in ["range", "after"] {
            guard let node = reader[key], let other = reader.text(key) else { continue }
            let known = builtIns.filter { $0.value.isInteger }.keys.sorted()
            guard known.contains(other) else {
                if isDatasetIncomplete, builtIns[other] == nil { return nil }
                log.add(
                    "'\(key)' of \(what) must be a variable of the dataset, not '\(other)'"
                        + NearestName.hint(other, among: known),
                    at: node.mark
                )
                return nil
            }
            return key == "range" ? .same(as: other) : .after(other)
        }
        guard !["min", "max", "table", "column"].contains(where: reader.has), let name,
            builtIns[name]?.isInteger == true
        else { return nil }
        return .same(as: name)
    }

    private func range(
        _ kind: VariableKind,
        reader: MappingReader,
        source: RangeSource?
    ) -> ClosedRange<Int64> {
        if let range = source?.range(among: builtIns) { return range }
        let isUnbounded = kind == .sequential
        let fallback: ClosedRange<Int64> = 0...0
        if reader.has("column") || reader.has("table") { return fallback }
        if reader.has("range") || reader.has("after") { return fallback }
        if !isUnbounded || reader.has("max") { _ = reader.required("min", example: "1") }
        if !isUnbounded { _ = reader.required("max", example: "1000") }
        let given: Int64? = reader.integer("min")
        guard let minimum = given ?? (isUnbounded && !reader.has("min") ? 1 : nil) else {
            _ = reader.integer("max") as Int64?
            return fallback
        }
        let maximum =
            isUnbounded && !reader.has("max") ? Variable.largest : reader.integer("max")
        guard let maximum else { return fallback }
        if minimum > maximum {
            reader.add(
                "'max' of \(what) must be at least 'min' (\(minimum)), not \(maximum)",
                atKey: "max"
            )
            return fallback
        }
        let isRanked =
            kind == .latest || kind == .zipfian && reader.bool("scramble") != true
        if isRanked, maximum - minimum >= Variable.mostRanks {
            reader.add(
                "a \(kind.rawValue) range has at most \(Variable.mostRanks) values",
                atKey: "max"
            )
            return fallback
        }
        return minimum...maximum
    }
}

extension Variable {
    /// Parses a variable of a scenario, such as `distribution: uniform, min: 1, max: 9`.
    ///
    /// - Throws: ``ScenarioError`` if the text is not the contents of a variable.
    package static func parse(_ text: String, named name: String) throws(ScenarioError) -> Variable
    {
        let log = YAMLLog(file: "")
        let what = "variable '\(name)'"
        var read: VariableReader.Result?
        if case .root(let node) = log.document("{\(text)}") {
            read = VariableReader(what: what, name: name, builtIns: [:], log: log).read(
                node,
                at: nil
            )
        }
        try log.throwIfAny()
        guard let read else {
            throw ScenarioError(issues: [.init(file: "", message: "\(what) has no distribution")])
        }
        return read.variable
    }
}

extension WorkloadValue {
    /// Creates an integer, a real number, null, or text from a YAML 1.2 scalar.
    init(yaml node: Node) {
        guard let scalar = node.scalar else {
            self = .null
            return
        }
        let text = scalar.string
        guard scalar.style == .plain || scalar.style == .any else {
            self = .text(text)
            return
        }
        if let integer = Int64(text) {
            self = .integer(integer)
        } else if let real = Double(text), text.contains(where: \.isNumber) {
            self = .real(real)
        } else if ["", "~", "null"].contains(text) {
            self = .null
        } else {
            self = .text(text)
        }
    }
}
