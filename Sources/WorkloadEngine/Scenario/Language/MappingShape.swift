/// A mapping in the scenario language: its keys and the shapes of their values.
///
/// Both the decoder and the JSON Schema use these declarations.
struct MappingShape: Sendable {
    /// The name in the schema's definitions, such as `arm`.
    let name: String
    /// The description for editors.
    let description: String
    /// The keys, in the usual order.
    let keys: [Key]
    /// The groups of keys, one of which is required.
    let alternatives: [[String]]

    /// A key and its value.
    struct Key: Sendable {
        let name: String
        /// The description for editors.
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

    init(_ name: String, _ description: String, alternatives: [[String]] = [], _ keys: [Key]) {
        self.name = name
        self.description = description
        self.alternatives = alternatives
        self.keys = keys
    }

    /// The keys' names.
    var names: [String] { keys.map(\.name) }
}

/// A value in the scenario language.
indirect enum ValueShape: Sendable {
    /// Nonempty text.
    case text
    /// A string or a list of strings.
    case texts
    /// A statement, several statements separated by semicolons, or a list.
    case sql
    /// Steps of an operation: statements, or mappings of ``Language/step``.
    case steps
    /// One of several words.
    case words([String])
    /// An integer in a range.
    case integer(ClosedRange<Int64>)
    /// A number above 0.
    case number
    /// `true` or `false`.
    case boolean
    /// A number with its unit.
    case quantity(QuantityShape)
    /// Any scalar: text, a number, true, false or null.
    case scalar
    /// A mapping with declared keys.
    case mapping(MappingShape)
    /// A list.
    case list(ValueShape)
    /// A mapping with arbitrary names.
    case named(ValueShape)
    /// A mapping whose names are metrics, such as `ui.response`.
    case byMetric(ValueShape)
    /// One of several shapes.
    case either([ValueShape])
}

/// A quantity with a unit.
enum QuantityShape: Sendable {
    /// `50ms`.
    case duration
    /// `50ms`, or a share of the measured part, `40%`.
    case span
    /// `200/s`.
    case rate
    /// `64MiB`.
    case bytes
    /// `40%`.
    case share
    /// `fixed 1ms`.
    case fixedPause
}
