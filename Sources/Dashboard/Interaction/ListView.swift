/// The selection, sorting and filter of a screen.
struct ListView: Sendable, Equatable {
    /// The name of the selected row, or `nil` if there is no selection.
    var selected: String?
    /// The title of the sort column, or `nil` for the natural order.
    var sortColumn: String?
    /// Whether the sort order is reversed.
    var isReversed = false
    /// The text that rows must contain.
    var filter = ""
    /// Whether the selection is expanded.
    var isExpanded = false
    /// The number of hidden columns on the left.
    var firstColumn = 0
    /// The part of an access that the latency screen shows.
    var focus = 0
    /// The selected part of the screen, by its index in ``DashboardScreen/parts``.
    var part: Int?
}
