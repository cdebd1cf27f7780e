/// A type that finds YAML that a parser could take exponential time to read.
///
/// Yams hashes each key of a mapping to find duplicates, and thereby visits all nodes of each alias
/// in the key. If anchors contain aliases of other anchors, the number of these nodes grows
/// exponentially with the length of the text. Aliases in values do not have this effect, because
/// the parser does not hash values.
package enum YAMLAliases {
    /// The number of aliases up to which the parser visits each node at most 400 times per key.
    private static let harmlessCount = 16

    /// The error message for a key that is an alias or a collection.
    package static let message = "a key must not be an alias or a collection; write the key as text"

    /// Returns the line, from 1, of the first key that is an alias or a collection, or `nil` if
    /// there is no such key or if the text has too few aliases to delay the parser.
    ///
    /// The function does not parse the text, so a match can also be in a quoted string.
    package static func costlyKeyLine(in yaml: String) -> Int? {
        var aliasCount = 0
        var found: Int?
        var line = 1
        // The first character that is not a space, before the current one.
        var previous = newline
        let bytes = Array(yaml.utf8)
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : newline
            switch byte {
            case newline: line += 1
            case space, tab, carriageReturn: continue
            case UInt8(ascii: "*") where isName(next):
                aliasCount += 1
                let end = bytes[(index + 1)...].firstIndex { !isName($0) } ?? bytes.endIndex
                if isKey(bytes[end...]) { found = found ?? line }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if isKey(bytes[(index + 1)...]) { found = found ?? line }
            case UInt8(ascii: "?") where keyStarts.contains(previous) && blanks.contains(next):
                found = found ?? line
            default: break
            }
            previous = byte
        }
        return aliasCount > harmlessCount ? found : nil
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let space = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")
    private static let blanks = [newline, carriageReturn, space, tab]
    /// The characters after which `?` can start a key.
    private static let keyStarts = Set("\n-?[{,:".utf8)

    /// The characters that may follow a value on its line, after blanks.
    private static let valueEnds = Set("\n\r,]}#".utf8)

    /// Returns whether the text before these bytes can be a key.
    ///
    /// libyaml reads `*a` in `*a text: 1` as a key before it reports an error, so the text is a
    /// value only if its line or its collection ends, or if a comma follows.
    private static func isKey(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let next = rest.first(where: { $0 != space && $0 != tab }) else { return false }
        return !valueEnds.contains(next)
    }

    /// Returns whether libyaml accepts a character in the name of an anchor.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
