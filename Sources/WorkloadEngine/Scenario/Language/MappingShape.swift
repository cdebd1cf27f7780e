/// A mapping of the scenario language: its keys, and what their values are.
///
/// The decoder takes the keys that it knows from here, and so does the JSON Schema.
struct MappingShape: Sendable {
    /// Its name among the schema's definitions, such as `arm`.
    let name: String
    /// What it describes, for an editor.
    let description: String
    /// The keys, in the order in which people write them.
    let keys: [Key]
    /// Groups of keys of which one must be there.
    let alternatives: [[String]]

    /// A key and its value.
    struct Key: Sendable {
        let name: String
        /// What it means, for an editor: one or two sentences.
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

    /// The names of the keys.
    var names: [String] { keys.map(\.name) }
}

/// A value of the scenario language.
indirect enum ValueShape: Sendable {
    /// A text that is not empty.
    case text
    /// One text, or a list of them.
    case texts
    /// One statement, several with semicolons between them, or a list.
    case sql
    /// One of some words.
    case words([String])
    /// An integer of a range.
    case integer(ClosedRange<Int64>)
    /// A number above 0.
    case number
    /// `true` or `false`.
    case boolean
    /// A number with its unit.
    case quantity(QuantityShape)
    /// Any scalar: a text, a number, true, false or null.
    case scalar
    /// A mapping with keys of the language's.
    case mapping(MappingShape)
    /// A list.
    case list(ValueShape)
    /// A mapping with names of the user's own.
    case named(ValueShape)
    /// A mapping whose names are metrics, such as `ui.response`.
    case byMetric(ValueShape)
    /// One of several.
    case either([ValueShape])
}

/// A quantity with its unit written out.
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
}
