import Foundation

/// A small tag parser that is stricter than browsers.
///
/// Elements must be closed in order.
struct TagLog {
    private(set) var problems: [String] = []
    private(set) var identifiers: [String] = []
    /// The targets of `href="#…"`, `aria-labelledby`, and similar attributes.
    private(set) var references: [String] = []

    private static let voidElements: Set = ["meta", "br", "hr", "img", "link", "input", "col"]

    init(_ html: String) {
        var rest = Substring(html)
        var open: [String] = []
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...].dropFirst()
            if rest.hasPrefix("!DOCTYPE html>") { continue }
            guard let end = Self.endOfTag(rest) else {
                problems.append("unterminated tag: \(rest.prefix(40))")
                return
            }
            let tag = rest[..<end]
            rest = rest[end...].dropFirst()
            if tag.hasPrefix("/") {
                let name = String(tag.dropFirst())
                if open.popLast() != name { problems.append("</\(name)> is not the open element") }
                continue
            }
            let name = String(tag.prefix { $0.isLetter || $0.isNumber })
            if name.isEmpty { problems.append("no name in <\(tag.prefix(40))>") }
            read(tag)
            if Self.voidElements.contains(name) { continue }
            open.append(name)
            if name == "script" || name == "style", let close = rest.range(of: "</\(name)>") {
                rest = rest[close.lowerBound...]
            }
        }
        if !open.isEmpty { problems.append("left open: \(open)") }
    }

    /// Returns the index of the `>` that ends a tag.
    ///
    /// Quoted values may contain `>`.
    private static func endOfTag(_ text: Substring) -> Substring.Index? {
        var isQuoted = false
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            if text[index] == ">", !isQuoted { return index }
        }
        return nil
    }

    private mutating func read(_ tag: Substring) {
        for match in tag.matches(of: /([A-Za-z-]+)="([^"]*)"/) {
            let value = match.2
            switch match.1 {
            case "id": identifiers.append(String(value))
            case "href":
                guard value.hasPrefix("#") else {
                    problems.append("a link to \(value)")
                    continue
                }
                references.append(String(value.dropFirst()))
            case "aria-labelledby": references += value.split(separator: " ").map { String($0) }
            case let name where name.hasPrefix("on"): problems.append("a handler: \(name)")
            default: break
            }
        }
    }
}
