/// A data table with a caption, column titles, and a title in each row.
package struct HTMLTable {
    let caption: String
    /// The column titles, starting with the title of the row names.
    let columns: [String]
    var words = 1
    private(set) var rows: [[String]] = []

    package init(_ caption: String, columns: [String], words: Int = 1) {
        self.caption = caption
        self.columns = columns
        self.words = words
    }

    package mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The table in a frame that scrolls on a narrow page, or empty markup without rows.
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

    private func kind(_ index: Int) -> String { index < words ? "word" : "number" }
}
