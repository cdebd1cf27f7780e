/// The selection, sorting, and filter of a screen.
struct ListView: Sendable, Equatable {
    /// The name of the selected row.
    var selected: String?
    /// The title of the sort column, or `nil` for the natural order.
    var sortColumn: String?
    var isReversed = false
    /// The text that rows must contain.
    var filter = ""
    var isExpanded = false
    /// The number of hidden columns after the first column.
    var hiddenColumnCount = 0
    /// The index of the part of an access that the latency screen shows.
    ///
    /// The index is not limited to the number of parts. It wraps around.
    var focus = 0
    /// The index of the selected part in ``RunScreen/parts``.
    var part: Int?
}
