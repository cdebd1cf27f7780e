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
