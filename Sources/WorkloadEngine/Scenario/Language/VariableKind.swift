/// The distributions by their names in a scenario, and the keys that go with each.
enum VariableKind: String, CaseIterable {
    case uniform, zipfian, latest, hotspot, exponential, gaussian, sequential
    case text, blob, words, template, choice

    /// Those that draw integers of a range.
    static let integers = allCases.filter(\.isInteger)
    /// Those that draw lengths.
    static let lengths = integers.filter { $0 != .latest && $0 != .sequential }

    /// Whether it draws integers of a range.
    var isInteger: Bool {
        switch self {
        case .uniform, .zipfian, .latest, .hotspot, .exponential, .gaussian, .sequential: true
        case .text, .blob, .words, .template, .choice: false
        }
    }

    /// The keys that mean something with it, beside `distribution`.
    var keys: [String] {
        let own: [String] =
            switch self {
            case .uniform: []
            case .zipfian: ["theta", "scramble"]
            case .latest: ["theta", "of"]
            case .hotspot: ["set", "draws"]
            case .exponential, .gaussian: ["parameter"]
            case .sequential: ["after"]
            case .text, .blob: ["length"]
            case .words: ["length", "vocabulary"]
            case .template: ["template"]
            case .choice: ["values", "weights", "table", "column", "theta"]
            }
        let shared =
            isInteger ? ["min", "max", "range", "hashed", "prefix", "table", "column"] : []
        return own + shared + ["nulls"]
    }
}
