/// A mapping in the scenario language, with its keys and the shapes of their values.
///
/// The decoder and the JSON Schema both use these declarations.
struct MappingShape: Sendable {
    let name: String
    let description: String
    let keys: [Key]
    /// The alternative groups of keys, exactly one of which is required.
    let alternatives: [[String]]
    /// The combinations of keys that the mapping accepts, in order of precedence.
    let forms: [Form]

    struct Key: Sendable {
        let name: String
        let description: String
        let value: ValueShape
        let isRequired: Bool

        init(_ name: String, _ value: ValueShape, required: Bool = false, _ description: String) {
            self.name = name
            self.value = value
            isRequired = required
            self.description = description
        }
    }

    /// A form of a mapping, selected by a key or a key's value.
    ///
    /// A form rejects certain other keys.
    struct Form: Sendable {
        let key: String
        /// The value that selects the form, or `nil` if any value of the key selects it.
        var value: String?
        /// The form's name in messages, or `nil` to use its key and value.
        var title: String?
        var rejected: [String] = []
        /// The other keys that the form accepts, or `nil` for all keys that are not rejected.
        var accepted: [String]?

        var description: String { title ?? value.map { "\(key): \($0)" } ?? "'\(key)'" }

        func rejects(_ name: String) -> Bool {
            accepted.map { name != key && !$0.contains(name) } ?? rejected.contains(name)
        }
    }

    init(
        _ name: String,
        _ description: String,
        alternatives: [[String]] = [],
        forms: [Form] = [],
        _ keys: [Key]
    ) {
        self.name = name
        self.description = description
        self.alternatives = alternatives
        self.forms =
            forms
            + alternatives.enumerated().compactMap { index, group in
                group.first.map {
                    Form(key: $0, rejected: alternatives[(index + 1)...].flatMap(\.self))
                }
            }
        self.keys = keys
    }

    var names: [String] { keys.map(\.name) }

    /// The shape of a key's value.
    subscript(_ name: String) -> ValueShape {
        guard let key = keys.first(where: { $0.name == name }) else {
            preconditionFailure("'\(self.name)' does not declare '\(name)'")
        }
        return key.value
    }
}

/// A value in the scenario language.
indirect enum ValueShape: Sendable {
    /// Text that is not empty.
    case text
    /// A string or a list of strings.
    case texts
    /// A statement, several statements separated by semicolons, or a list.
    case sql
    /// The steps of an operation, as statements or mappings of ``Language/step``.
    case steps
    case words([String])
    case integer(ClosedRange<Int64>)
    case number
    case boolean
    /// A time in a range, such as `50ms`.
    case duration(ClosedRange<Duration> = .unlimited)
    /// A time in a range, or a share of the measured time, such as `40%`.
    case span(ClosedRange<Duration> = .unlimited)
    case quantity(QuantityShape)
    /// Any scalar: text, a number, true, false, or null.
    case scalar
    case mapping(MappingShape)
    case list(ValueShape)
    /// A mapping with user-defined names.
    case named(ValueShape)
    /// A mapping with metrics as keys, such as `ui.response`.
    case byMetric(ValueShape)
    case either([ValueShape])

    /// The alternatives, or the value itself.
    private var parts: [ValueShape] {
        if case .either(let parts) = self { parts } else { [self] }
    }

    /// The valid words.
    var choices: [String] {
        parts.flatMap { part -> [String] in
            if case .words(let words) = part { words } else { [] }
        }
    }

    /// The range of valid integers, or `nil` if the value is not an integer.
    var range: ClosedRange<Int64>? {
        for case .integer(let range) in parts { return range }
        return nil
    }

    /// The range of valid times, or `nil` if the value is not a time.
    var durations: ClosedRange<Duration>? {
        for part in parts {
            switch part {
            case .duration(let range), .span(let range): return range
            default: break
            }
        }
        return nil
    }

    /// The shape of the value if it can be a mapping, or `nil` if it cannot.
    var mapping: MappingShape? {
        for case .mapping(let shape) in parts { return shape }
        return nil
    }
}

extension ClosedRange<Duration> {
    /// All times that a scenario can contain.
    static var unlimited: Self { .zero...Quantity.longestDuration }
    /// All times longer than 0.
    static var positive: Self { .nanoseconds(1)...Quantity.longestDuration }

    /// A phrase that describes the range after the word "time", such as `of at most 60s`, or `nil`
    /// for ``unlimited``.
    var summary: String? {
        let maximum = upperBound < Quantity.longestDuration ? Quantity.text(upperBound) : nil
        switch (lowerBound, maximum) {
        case (Duration.zero, nil): return nil
        case (Duration.zero, let maximum?): return "of at most \(maximum)"
        case (Duration.nanoseconds(1), nil): return "longer than 0"
        case (Duration.nanoseconds(1), let maximum?):
            return "longer than 0 and no longer than \(maximum)"
        case (_, nil): return "of at least \(Quantity.text(lowerBound))"
        case (_, let maximum?): return "from \(Quantity.text(lowerBound)) to \(maximum)"
        }
    }
}

enum QuantityShape: Sendable {
    /// `200/s`.
    case rate
    /// `64MiB`.
    case bytes
    /// `40%`.
    case share
    /// `fixed 1ms`.
    case fixedPause
}
