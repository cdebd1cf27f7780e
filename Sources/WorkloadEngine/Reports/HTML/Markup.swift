/// A piece of HTML or SVG that no data can break out of.
///
/// Names of elements and attributes are literals of this program; all that can be data, text and
/// attribute values, is escaped on its way in. A string literal is text.
struct Markup: Sendable, Equatable {
    /// The HTML.
    private(set) var html: String

    private init(html: String) { self.html = html }

    /// Nothing.
    static let empty = Markup(html: "")

    /// Text, escaped; control characters become pictures of themselves.
    static func text(_ text: some StringProtocol) -> Markup { Markup(html: escaped(text)) }

    /// Elements without an end tag (https://html.spec.whatwg.org/#void-elements).
    private static let voidElements: Set = ["br", "col", "hr", "img", "input", "link", "meta"]

    /// An element with attributes and children.
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

    /// An element with one child.
    static func element(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ child: Markup
    ) -> Markup {
        element(name, attributes, [child])
    }

    /// A `script` element with JSON in it, which is data and never run.
    ///
    /// Nothing in a script is escaped by HTML's rules, so what could end it is written as JSON's
    /// escapes (https://html.spec.whatwg.org/#restrictions-for-contents-of-script-elements).
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

    /// A `style` element with a style sheet of this program's.
    static func style(_ sheet: StaticString) -> Markup {
        Markup(html: "<style>\(sheet)</style>")
    }

    /// Several pieces, one after another.
    static func group(_ pieces: [Markup]) -> Markup {
        Markup(html: pieces.map(\.html).joined())
    }

    /// The text with all that HTML would take for itself made harmless, in elements and in quoted
    /// attributes alike.
    ///
    /// Control characters, which a terminal would obey if somebody copied them, show as pictures
    /// (U+2400 and after); what turns the direction of text shows as U+FFFD.
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
    /// Text, escaped.
    init(stringLiteral value: String) { self = .text(value) }
}
