import Text

/// A parser for sequences of keys, as in the `--press` option.
///
/// A character represents itself. Other keys are names in angle brackets, as in `nn<Esc>?<^C>`.
package enum KeyScript {
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// A description of the error and the expected value.
        package var description: String
    }

    /// Parses keys.
    ///
    /// - Throws: ``Failure`` for an unknown name or an unmatched angle bracket.
    package static func parse(_ text: String) throws(Failure) -> [Key] {
        var keys: [Key] = []
        var remaining = Substring(text)
        while let first = remaining.popFirst() {
            guard first == "<" else {
                keys.append(.character(first))
                continue
            }
            guard let end = remaining.firstIndex(of: ">") else {
                throw Failure(
                    description: "'<\(remaining)' has no '>'; "
                        + "write keys such as nn<Esc>?, and <lt> for <"
                )
            }
            let name = String(remaining[..<end])
            remaining = remaining[remaining.index(after: end)...]
            keys.append(try key(named: name))
        }
        return keys
    }

    /// Returns the key with the given ``Key/label``, such as a character, `Space`, `PgUp`, `F1`, or
    /// `^C`.
    ///
    /// - Throws: ``Failure`` for an unknown name.
    package static func key(named name: String) throws(Failure) -> Key {
        if name.count == 1, let character = name.first { return .character(character) }
        if name.count == 2, name.first == "^", let letter = name.lowercased().last {
            return .control(letter)
        }
        if let key = namedKeys.first(where: { $0.0.lowercased() == name.lowercased() })?.1 {
            return key
        }
        let names = namedKeys.map(\.0)
        let nearest = NearestName.of(name, among: names)
        let lead = nearest.map { "; did you mean '\($0)'? Keys: " } ?? "; expected one of: "
        throw Failure(
            description: "there is no key '\(name)'" + lead + "a character, "
                + names.joined(separator: ", ") + " (for the character <), ^A to ^Z"
        )
    }

    private static let namedKeys: [(String, Key)] = {
        let keys: [Key] = [
            .character(" "), .enter, .escape, .tab, .backTab, .backspace, .delete, .up, .down,
            .left, .right, .pageUp, .pageDown, .home, .end,
        ]
        return keys.map { ($0.label, $0) } + (1...12).map { ("F\($0)", .function($0)) }
            + [("lt", .character("<"))]
    }()
}
