import Foundation
import Text

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

/// A style sheet for phones, wide screens, light and dark themes, and paper.
enum HTMLStyle {
    static let seriesCount = 6

    /// The style sheet, which follows the contrast rules of WCAG 2.2.
    ///
    /// The contrast is at least 4.5 : 1 for text and 3 : 1 for chart lines. Lines also have
    /// different dash patterns (<https://www.w3.org/TR/WCAG22/>, 1.4.1, 1.4.3, and 1.4.11).
    static let sheet: StaticString = """
        :root{--page:#fff;--panel:#f6f7f9;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;\
        --grid:#e4e8ec;--link:#0550ae;--good:#116329;--bad:#b3261e;\
        --s0:#0550ae;--s1:#b3261e;--s2:#116329;--s3:#7d3fb5;--s4:#8a5300;--s5:#0b6b78}
        @media (prefers-color-scheme:dark){:root{--page:#0d1117;--panel:#161b22;--text:#e6edf3;\
        --soft:#9aa5b1;--line:#30363d;--grid:#232a33;--link:#79b8ff;--good:#56d364;--bad:#ff7b72;\
        --s0:#79b8ff;--s1:#ff8f86;--s2:#56d364;--s3:#d2a8ff;--s4:#f0b35a;--s5:#56d4dd}}
        *{box-sizing:border-box}
        html{color-scheme:light dark;-webkit-text-size-adjust:100%;text-size-adjust:100%}
        body{margin:0 auto;max-width:1400px;padding:1rem clamp(.75rem,3vw,2.5rem) 3rem;\
        background:var(--page);color:var(--text);\
        font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        h1{font-size:clamp(1.5rem,5vw,2.1rem);line-height:1.2;margin:.5rem 0;overflow-wrap:anywhere}
        h2{font-size:1.35rem;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
        h3{font-size:1.05rem;margin:1.75rem 0 .5rem}
        h1,h2,h3,p,li,dd,dt{overflow-wrap:anywhere}
        p{max-width:75ch;margin:.5rem 0}
        ul{padding-left:1.25rem;margin:.5rem 0}
        li{max-width:95ch}
        a{color:var(--link)}
        a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);\
        outline-offset:2px}
        .skip{position:absolute;left:-999rem}
        .skip:focus{position:static}
        .lead{font-size:1.15rem}
        .verdict{margin:.75rem 0;padding:.6rem .9rem;background:var(--panel);\
        border-left:.35rem solid var(--soft);max-width:none}
        .verdict.passed{border-left-color:var(--good)}
        .verdict.undecided{border-left-style:dashed;border-left-color:var(--text)}
        .verdict.failed{border-left-color:var(--bad)}
        .note{color:var(--soft);font-size:.92rem}
        nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0}
        .scroll{overflow-x:auto;margin:.75rem 0;max-width:100%}
        table{border-collapse:collapse;min-width:min(100%,18rem);font-variant-numeric:tabular-nums;font-size:.92rem}
        caption{text-align:left;font-weight:600;padding:.25rem 0;color:var(--text)}
        th,td{padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
        thead th{color:var(--soft);font-weight:600;border-bottom-width:2px}
        .word{text-align:left;overflow-wrap:break-word;max-width:26rem}
        .number{text-align:right;white-space:nowrap}
        tbody th{font-weight:600;min-width:4rem}
        .charts{display:grid;gap:1rem;align-items:start;\
        grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr));margin:.75rem 0}
        .charts.wide{grid-template-columns:repeat(auto-fill,minmax(min(100%,34rem),1fr))}
        figure{margin:0;padding:.75rem;background:var(--panel);border:1px solid var(--line);\
        border-radius:.4rem;min-width:0;break-inside:avoid}
        figcaption{font-weight:600;overflow-wrap:anywhere}
        svg{display:block;width:100%;height:auto;font:11px system-ui,-apple-system,"Segoe UI",Roboto,\
        "Noto Sans",sans-serif}
        svg text{fill:var(--soft)}
        svg .value{fill:var(--text)}
        svg .grid{stroke:var(--grid);stroke-width:1}
        svg .axis{stroke:var(--soft);stroke-width:1}
        svg .zero{stroke:var(--text);stroke-width:1.5}
        svg .band{fill:var(--soft);opacity:.16}
        svg polyline,svg .stroke{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
        .s0{stroke:var(--s0)}.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}
        .s3{stroke:var(--s3)}.s4{stroke:var(--s4)}.s5{stroke:var(--s5)}
        svg .s1{stroke-dasharray:7 3}svg .s2{stroke-dasharray:2 4}svg .s3{stroke-dasharray:9 3 2 3}
        svg .s4{stroke-dasharray:4 2}svg .s5{stroke-dasharray:12 4}
        svg .mark{stroke-dasharray:none;fill:var(--page)}
        svg .bar{stroke:none;fill:var(--s0)}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;margin:.25rem 0;\
        font-size:.88rem}
        .legend li{display:flex;align-items:center;gap:.4rem;min-width:0;overflow-wrap:anywhere}
        .legend svg{width:2.2rem;flex:none}
        details{margin:.5rem 0}
        summary{cursor:pointer;color:var(--link)}
        pre{overflow-x:auto;background:var(--panel);border:1px solid var(--line);border-radius:.4rem;\
        padding:.75rem;font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
        dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.25rem 1rem}
        dt{color:var(--soft)}
        dd{margin:0}
        @media (max-width:480px){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}
        @media print{:root{--page:#fff;--panel:#fff;--text:#000;--soft:#333;--line:#999;--grid:#ddd;\
        --link:#000;--good:#000;--bad:#000;--s0:#0550ae;--s1:#b3261e;--s2:#116329;--s3:#7d3fb5;\
        --s4:#8a5300;--s5:#0b6b78}
        html{color-scheme:light}body{max-width:none;padding:0;font-size:10pt}
        nav,.skip,details{display:none}
        .scroll,pre{overflow:visible}pre{white-space:pre-wrap;overflow-wrap:anywhere}
        h2,h3,caption{break-after:avoid}tr{break-inside:avoid}thead{display:table-header-group}
        .charts{grid-template-columns:repeat(2,1fr)}}
        """

    /// The SHA-256 hash of ``sheet`` in Base64, which the page's security policy contains.
    ///
    /// If the style sheet changes, a test fails and shows the new hash.
    static let hash = "y85Y/sCbEkemJnT8sBHceS5E7lDkcZ0jaowpltg6OPs="
}

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

/// A data table with a caption and with titles for columns and rows.
package struct HTMLTable {
    let caption: String
    /// The column titles, starting with the title of the column that contains the row titles.
    let columns: [String]
    /// The number of leading columns that contain text.
    ///
    /// The other columns contain numbers.
    let textColumnCount: Int
    private(set) var rows: [[String]] = []

    package init(_ caption: String, columns: [String], textColumnCount: Int = 1) {
        self.caption = caption
        self.columns = columns
        self.textColumnCount = textColumnCount
    }

    package mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The table in a frame that scrolls on a narrow page, or empty markup if there are no rows.
    package var markup: Markup {
        guard !rows.isEmpty else { return .empty }
        return .element(
            "div",
            ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": caption],
            .element(
                "table",
                [:],
                [
                    .element("caption", [:], .text(caption)),
                    .element("thead", [:], .element("tr", [:], titles)),
                    .element("tbody", [:], rows.map { .element("tr", [:], cells($0)) }),
                ]
            )
        )
    }

    private var titles: [Markup] {
        columns.enumerated().map { index, title in
            .element("th", ["scope": "col", "class": kind(index)], .text(title))
        }
    }

    private func cells(_ row: [String]) -> [Markup] {
        row.enumerated().map { index, cell in
            index == 0
                ? .element("th", ["scope": "row", "class": kind(0)], .text(cell))
                : .element("td", ["class": kind(index)], .text(cell))
        }
    }

    private func kind(_ index: Int) -> String { index < textColumnCount ? "word" : "number" }
}
