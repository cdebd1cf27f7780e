/// A search for the name that the user most likely intended.
package enum NearestName {
    /// Returns the candidate that requires the fewest edits to `name`, or `nil` if no candidate is
    /// similar enough.
    ///
    /// An edit inserts, deletes, or replaces a character, or swaps two adjacent characters. Case is
    /// ignored. A candidate is similar if it requires edits to at most a third of the name's
    /// characters, or to one character of a short name.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased())
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let limit = max(1, max(wanted.count, candidate.count) / 3)
            // The difference in length is a lower bound. This check excludes very long names.
            guard abs(wanted.count - candidate.count) <= limit else { continue }
            let distance = distance(wanted, Array(candidate.lowercased()))
            // If every character differs, the names are unrelated.
            guard distance <= limit, distance < max(wanted.count, candidate.count) else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Returns `; did you mean 'x'?`, or a list of the candidates if none is similar.
    package static func hint(_ name: String, among candidates: [String]) -> String {
        if let nearest = of(name, among: candidates) { return "; did you mean '\(nearest)'?" }
        if candidates.isEmpty { return "" }
        return "; expected one of: \(candidates.joined(separator: ", "))"
    }

    /// Returns the optimal string alignment distance: the Damerau distance with at most one edit of
    /// each substring.
    package static func distance(_ a: [Character], _ b: [Character]) -> Int {
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var secondLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        var row = last
        for i in 1...a.count {
            row[0] = i
            for j in 1...b.count {
                let isSame = a[i - 1] == b[j - 1]
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], secondLast[j - 2] + 1)
                }
            }
            secondLast = last
            last = row
        }
        return last[b.count]
    }
}

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
