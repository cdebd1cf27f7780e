/// A piece of HTML or SVG that is safe from injection.
///
/// Element and attribute names are literals in this program. Text and attribute values may
/// contain data and are escaped. String literals are also escaped as text.
package struct Markup: Sendable, Equatable {
    private(set) var html: String

    private init(html: String) { self.html = html }

    static let empty = Markup(html: "")

    /// Creates escaped text in which control characters become visible symbols.
    static func text(_ text: some StringProtocol) -> Markup { Markup(html: escaped(text)) }

    /// Elements without an end tag (<https://html.spec.whatwg.org/#void-elements>).
    private static let voidElements: Set = ["br", "col", "hr", "img", "input", "link", "meta"]

    static func element(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ children: [Markup] = []
    ) -> Markup {
        var html = "<\(name)"
        for (key, value) in attributes { html += " \(key)=\"\(escaped(value))\"" }
        html += ">"
        if voidElements.contains("\(name)") { return Markup(html: html) }
        for child in children { html += child.html }
        return Markup(html: html + "</\(name)>")
    }

    static func element(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ child: Markup
    ) -> Markup {
        element(name, attributes, [child])
    }

    /// Creates a `script` element that contains JSON, which browsers do not run.
    ///
    /// HTML does not unescape the contents of a script. JSON escapes therefore replace the
    /// characters that could end the script
    /// (<https://html.spec.whatwg.org/#restrictions-for-contents-of-script-elements>).
    static func json(_ json: String, id: String) -> Markup {
        var safe = ""
        for scalar in json.unicodeScalars {
            switch scalar.value {
            case 0x3C, 0x3E, 0x26, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return Markup(
            html: "<script type=\"application/json\" id=\"\(escaped(id))\">\(safe)</script>"
        )
    }

    static func style(_ sheet: StaticString) -> Markup {
        Markup(html: "<style>\(sheet)</style>")
    }

    static func group(_ pieces: [Markup]) -> Markup {
        Markup(html: pieces.map(\.html).joined())
    }

    /// Escapes text for elements and for quoted attributes.
    ///
    /// Control characters become visible symbols (U+2400 and following), because they can affect
    /// a terminal when pasted. Characters that change the direction of text become U+FFFD.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: result += "&amp;"
            case 0x3C: result += "&lt;"
            case 0x3E: result += "&gt;"
            case 0x22: result += "&quot;"
            case 0x27: result += "&#39;"
            case 0x60: result += "&#96;"
            case 0x09, 0x0A: result.unicodeScalars.append(scalar)
            case 0x0D: break
            case 0x00...0x1F: result.unicodeScalars.append(picture(of: scalar.value))
            case 0x7F: result += "\u{2421}"
            case 0x80...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func picture(of control: UInt32) -> Unicode.Scalar {
        Unicode.Scalar(0x2400 + control) ?? "\u{FFFD}"
    }
}

extension Markup: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .text(value) }
}
