import Text

/// A piece of HTML or SVG that is safe from injection.
///
/// Element and attribute names are literals in this program. Text and attribute values may
/// contain data and are escaped. String literals are also escaped as text.
package struct Markup: Sendable, Equatable {
    private(set) var html: String

    private init(html: String) { self.html = html }

    static let empty = Markup(html: "")

    /// Creates escaped text in which control characters become visible symbols.
    static func text(_ text: some StringProtocol) -> Markup { Markup(html: Escaping.html(text)) }

    /// Elements without an end tag (<https://html.spec.whatwg.org/#void-elements>).
    private static let voidElements: Set = ["br", "col", "hr", "img", "input", "link", "meta"]

    static func element(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ children: [Markup] = []
    ) -> Markup {
        var html = "<\(name)"
        for (key, value) in attributes { html += " \(key)=\"\(Escaping.html(value))\"" }
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
    static func json(_ json: String, id: String) -> Markup {
        let safe = Escaping.scriptJSON(json)
        return Markup(
            html: "<script type=\"application/json\" id=\"\(Escaping.html(id))\">\(safe)</script>"
        )
    }

    static func style(_ sheet: StaticString) -> Markup {
        Markup(html: "<style>\(sheet)</style>")
    }

    static func group(_ pieces: [Markup]) -> Markup {
        Markup(html: pieces.map(\.html).joined())
    }
}

extension Markup: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .text(value) }
}
