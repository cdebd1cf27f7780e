enum VariableKind: String, CaseIterable {
    case uniform, zipfian, latest, hotspot, exponential, gaussian, sequential
    case text, blob, words, template, choice

    static let integers = allCases.filter(\.isInteger)
    static let lengths = integers.filter { $0 != .latest && $0 != .sequential }

    var isInteger: Bool {
        switch self {
        case .uniform, .zipfian, .latest, .hotspot, .exponential, .gaussian, .sequential: true
        case .text, .blob, .words, .template, .choice: false
        }
    }

    var keys: [String] {
        let specific: [String] =
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
            case .choice:
                ["values", "weights", "table", "column", "theta", "distinct", "same-row"]
            }
        let shared =
            isInteger ? ["min", "max", "range", "hashed", "prefix", "table", "column"] : []
        return specific + shared + ["nulls"]
    }
}
