extension String {
    /// The plural of an English name, or the name itself if it is a plural.
    ///
    /// The last word of a name such as `homeTeam`, `home_team`, or `team2` becomes a plural. The
    /// rules are those of GRDB, which are the rules of Ruby on Rails (`ActiveSupport::Inflector`).
    var pluralized: String {
        let digits = reversed().prefix { ("0"..."9").contains($0) }.count
        let radical = dropLast(digits)
        let word = radical.suffix(from: radical.startOfLastWord).lowercased()
        guard !word.isEmpty, !Self.uncountables.contains(word) else { return self }
        let plural =
            Self.pluralWords[word].map { (word, $0) }
            ?? Self.pluralEndings.first { word.hasSuffix($0.ending) }
        guard let (ending, replacement) = plural else { return self }
        // The first letters keep their case.
        let kept = zip(ending, replacement).prefix { $0 == $1 }.count
        let start = String(radical.dropLast(ending.count - kept))
        return start + replacement.dropFirst(kept) + suffix(digits)
    }

    private static let uncountables: Set<String> = [
        "advice", "corps", "dice", "equipment", "fish", "information", "jeans", "kudos", "money",
        "offspring", "police", "rice", "sheep", "species",
    ]

    /// Whole words, unlike endings.
    private static let pluralWords = [
        "oxen": "oxen", "mice": "mice", "lice": "lice", "ox": "oxen", "mouse": "mice",
        "louse": "lice", "axis": "axes", "testis": "testes", "y": "ys",
    ]

    /// The endings of words, of which the first that applies is replaced.
    private static let pluralEndings: [(ending: String, plural: String)] = [
        ("zombie", "zombies"), ("specimen", "specimens"), ("move", "moves"), ("moves", "moves"),
        ("sex", "sexes"), ("sexes", "sexes"), ("person", "people"), ("people", "people"),
        ("man", "men"), ("men", "men"), ("leaf", "leaves"), ("leaves", "leaves"),
        ("foot", "feet"), ("feet", "feet"), ("child", "children"), ("children", "children"),
        ("quiz", "quizzes"), ("matrix", "matrices"), ("matrex", "matrices"),
        ("vertix", "vertices"), ("vertex", "vertices"), ("indix", "indices"),
        ("index", "indices"), ("x", "xes"), ("ch", "ches"), ("ss", "sses"), ("sh", "shes"),
        ("quy", "quies"), ("ay", "ays"), ("ey", "eys"), ("iy", "iys"), ("oy", "oys"),
        ("uy", "uys"), ("yy", "yys"), ("y", "ies"), ("hive", "hives"), ("ffe", "ffes"),
        ("fe", "ves"),
        ("lf", "lves"), ("rf", "rves"), ("sis", "ses"), ("ta", "ta"), ("ia", "ia"),
        ("tum", "ta"), ("ium", "ia"), ("buffalo", "buffaloes"), ("tomato", "tomatoes"),
        ("hero", "heroes"), ("bus", "buses"), ("alias", "aliases"), ("bias", "biases"),
        ("canvas", "canvases"), ("focus", "focuses"), ("gas", "gases"), ("lens", "lenses"),
        ("status", "statuses"), ("octopi", "octopi"), ("viri", "viri"), ("octopus", "octopi"),
        ("virus", "viri"), ("s", "s"), ("", "s"),
    ]
}

extension Substring {
    /// The start of the last word, at an uppercase letter or after another character than a letter.
    fileprivate var startOfLastWord: Index {
        var start = endIndex
        while start > startIndex {
            let previous = index(before: start)
            guard self[previous].isLetter || self[previous].isNumber else { break }
            start = previous
            if self[start].isUppercase, start > startIndex, !self[index(before: start)].isUppercase
            {
                break
            }
        }
        return start
    }
}
