import Foundation

/// A self-contained HTML page that uses no scripts, network access, or other files.
package struct HTMLPage {
    let title: String
    package var lead: [Markup] = []
    private var sections: [(id: String, title: String, body: [Markup])] = []
    private var appendix: [Markup] = []

    package init(title: String) { self.title = title }

    package mutating func add(_ title: String, _ body: [Markup]) {
        guard !body.isEmpty else { return }
        sections.append((id: "section-\(sections.count + 1)", title: title, body: body))
    }

    package mutating func embed(_ result: some Encodable, id: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        appendix.append(.json(String(decoding: try encoder.encode(result), as: UTF8.self), id: id))
    }

    static let policy =
        "default-src 'none'; style-src 'sha256-\(HTMLStyle.hash)'; base-uri 'none'; "
        + "form-action 'none'"

    package var html: String {
        let head = Markup.element(
            "head",
            [:],
            [
                .element("meta", ["charset": "utf-8"]),
                .element(
                    "meta",
                    ["http-equiv": "Content-Security-Policy", "content": Self.policy]
                ),
                .element(
                    "meta",
                    ["name": "viewport", "content": "width=device-width, initial-scale=1"]
                ),
                .element("meta", ["name": "color-scheme", "content": "light dark"]),
                .element("meta", ["name": "referrer", "content": "no-referrer"]),
                .element("meta", ["name": "generator", "content": "Poolgauge"]),
                .element("title", [:], .text(title)),
                .style(HTMLStyle.sheet),
            ]
        )
        let header = Markup.element("header", [:], [.element("h1", [:], .text(title))] + lead)
        let contents = Markup.element(
            "nav",
            ["aria-label": "Contents"],
            .element(
                "ul",
                [:],
                sections.map { section in
                    .element(
                        "li",
                        [:],
                        .element("a", ["href": "#\(section.id)"], .text(section.title))
                    )
                }
            )
        )
        let main = Markup.element(
            "main",
            ["id": "content"],
            sections.map { section in
                .element(
                    "section",
                    ["aria-labelledby": section.id],
                    [.element("h2", ["id": section.id], .text(section.title))] + section.body
                )
            }
        )
        let skip = Markup.element(
            "a",
            ["class": "skip", "href": "#content"],
            "Skip to the results"
        )
        let body = Markup.element("body", [:], [skip, header, contents, main] + appendix)
        return "<!DOCTYPE html>\n"
            + Markup.element("html", ["lang": "en"], [head, body]).html + "\n"
    }
}

extension Markup {
    package static func paragraph(_ text: String) -> Markup { .element("p", [:], .text(text)) }

    static func heading(_ text: String) -> Markup { .element("h3", [:], .text(text)) }

    package static func list(_ items: [String]) -> Markup {
        .element("ul", [:], items.map { .element("li", [:], .text($0)) })
    }

    static func verbatim(_ text: String, label: String) -> Markup {
        .element(
            "pre",
            ["tabindex": "0", "role": "region", "aria-label": label],
            .element("code", [:], .text(text))
        )
    }
}
