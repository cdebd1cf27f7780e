/// Finds the probable correction for a misspelled name.
enum NearestName {
    /// Returns `; did you mean 'warning'?`, or an empty string if no name is similar.
    static func hint(for name: String, among names: [String]) -> String {
        guard let nearest = nearest(to: name, among: names) else { return "" }
        return "; did you mean '\(nearest)'?"
    }

    /// Returns the name with the smallest edit distance, if that is small relative to its length.
    static func nearest(to name: String, among names: [String]) -> String? {
        let target = Array(name.lowercased())
        let ranked = names.map { (name: $0, edits: distance(target, Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.edits < $1.edits }) else { return nil }
        return best.edits <= (max(target.count, best.name.count) + 2) / 3 ? best.name : nil
    }

    /// Returns the Levenshtein distance: the number of inserted, deleted and replaced characters.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (character == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
