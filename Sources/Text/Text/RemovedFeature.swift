/// A command, an option, or a scenario's word that earlier versions accepted.
package enum RemovedFeature: String, CaseIterable, Sendable {
    case crossover
    case ghost = "--ghost"
    case isolation
    case whatIf = "what-if"

    private var replacement: String {
        switch self {
        case .crossover:
            "use 'poolgauge compare SCENARIO --arms queue,pool --sweep readers=1,2,4,8'"
        case .ghost:
            "write a report of each recording with 'poolgauge report', and read them side by side"
        case .isolation:
            "remove it from the invariants, because SQLite's transactions are always serializable"
        case .whatIf:
            "measure other numbers of readers with 'poolgauge advise SCENARIO', and record the "
                + "load of a program with 'poolgauge capture'"
        }
    }

    /// The error for a use of the feature.
    package var message: String { "'\(rawValue)' no longer exists; \(replacement)" }
}
