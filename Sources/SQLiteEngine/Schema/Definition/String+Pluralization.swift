extension String {
    /// The plural of an English name, or the name itself if it is a plural.
    ///
    /// The last word of a name such as `homeTeam`, `home_team`, or `team2` becomes a plural. The
    /// rules are those of GRDB, which are the rules of Ruby on Rails (`ActiveSupport::Inflector`).
    var pluralized: String {
        let digits = reversed().prefix { ("0"..."9").contains($0) }.count
        let radical = dropLast(digits)
        let word = radical.suffix(from: radical.startOfLastWord)
        let lowercased = word.lowercased()
        guard !word.isEmpty, !Self.uncountables.contains(lowercased) else { return self }
        guard let rule = Self.plurals.first(where: { $0.applies(to: lowercased) }) else {
            return self
        }
        return radical.dropLast(rule.dropped) + rule.added + suffix(digits)
    }

    private static let uncountables: Set<String> = [
        "advice", "corps", "dice", "equipment", "fish", "information", "jeans", "kudos", "money",
        "offspring", "police", "rice", "sheep", "species",
    ]

    /// A rule that replaces the end of a word.
    private struct Plural {
        var endings: [String]
        var dropped = 0
        var added = ""
        /// Whether an ending must be the whole word.
        var isWord = false
        /// Characters that must not precede the ending, or `nil` if it may be the whole word.
        var except: String?

        func applies(to word: String) -> Bool {
            endings.contains { ending in
                guard word.hasSuffix(ending) else { return false }
                guard let except else { return !isWord || word == ending }
                guard let previous = word.dropLast(ending.count).last else { return false }
                return !except.contains(previous)
            }
        }
    }

    /// The rules, of which the first that applies is used.
    private static let plurals = [
        Plural(endings: ["zombie", "specimen", "move"], added: "s"),
        Plural(endings: ["zombies", "specimens", "moves", "sexes", "people", "men", "leaves"]),
        Plural(endings: ["children", "feet"]),
        Plural(endings: ["sex"], added: "es"),
        Plural(endings: ["person"], dropped: 5, added: "eople"),
        Plural(endings: ["man"], dropped: 2, added: "en"),
        Plural(endings: ["leaf"], dropped: 1, added: "ves"),
        Plural(endings: ["foot"], dropped: 3, added: "eet"),
        Plural(endings: ["child"], added: "ren"),
        Plural(endings: ["quiz"], added: "zes"),
        Plural(endings: ["oxen", "mice", "lice"], isWord: true),
        Plural(endings: ["ox"], added: "en", isWord: true),
        Plural(endings: ["mouse", "louse"], dropped: 4, added: "ice", isWord: true),
        Plural(
            endings: ["matrix", "matrex", "vertix", "vertex", "indix", "index"],
            dropped: 2,
            added: "ices"
        ),
        Plural(endings: ["x", "ch", "ss", "sh"], added: "es"),
        Plural(endings: ["y"], dropped: 1, added: "ies", except: "aeiouy"),
        Plural(endings: ["quy"], dropped: 1, added: "ies"),
        Plural(endings: ["hive"], added: "s"),
        Plural(endings: ["fe"], dropped: 2, added: "ves", except: "f"),
        Plural(endings: ["lf", "rf"], dropped: 1, added: "ves"),
        Plural(endings: ["sis"], dropped: 2, added: "es"),
        Plural(endings: ["ta", "ia"]),
        Plural(endings: ["tum", "ium"], dropped: 2, added: "a"),
        Plural(endings: ["buffalo", "tomato", "hero", "bus"], added: "es"),
        Plural(
            endings: ["alias", "bias", "canvas", "focus", "gas", "lens", "status"],
            added: "es"
        ),
        Plural(endings: ["octopi", "viri"]),
        Plural(endings: ["octopus", "virus"], dropped: 2, added: "i"),
        Plural(endings: ["axis", "testis"], dropped: 2, added: "es", isWord: true),
        Plural(endings: ["s"]),
        Plural(endings: [""], added: "s"),
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
