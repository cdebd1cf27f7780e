import Foundation
import Testing

@testable import Reports

struct MarkupTests {
    @Test func textAndAttributesAreEscaped() {
        let hostile = "\"><script>alert('1')</script>&amp;`"
        let html = Markup.element("p", ["title": hostile], .text(hostile)).html
        let safe =
            "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;&#96;"
        #expect(html == "<p title=\"\(safe)\">\(safe)</p>")
    }

    @Test func literalsAreAlsoEscaped() {
        let name = "<b>"
        #expect(Markup.element("p", [:], "a \(name) & b").html == "<p>a &lt;b&gt; &amp; b</p>")
    }

    @Test func jsonInAScriptElementCannotEndTheElement() throws {
        let hostile = "</script><!--<script>\u{2028}\u{7F}&"
        let json = String(decoding: try JSONEncoder().encode([hostile]), as: UTF8.self)
        let html = Markup.json(json, id: "data").html
        let start = "<script type=\"application/json\" id=\"data\">"
        let body = try #require(html.dropFirst(start.count).components(separatedBy: "<").first)
        #expect(html == start + body + "</script>")
        #expect(try JSONDecoder().decode([String].self, from: Data(body.utf8)) == [hostile])
    }

    @Test func voidElementsHaveNoEnd() {
        #expect(Markup.element("meta", ["charset": "utf-8"]).html == "<meta charset=\"utf-8\">")
        #expect(Markup.element("td").html == "<td></td>")
    }
}
