/// The selection, sorting, and filter of a screen.
struct ListView: Sendable, Equatable {
    var selected: String?
    /// The title of the sort column, or `nil` for the natural order.
    var sortColumn: String?
    var isReversed = false
    /// The text that rows must contain.
    var filter = ""
    var isExpanded = false
    var firstColumn = 0
    /// The part of an access that the latency screen shows.
    var focus = 0
    /// The index of the selected part in ``DashboardScreen/parts``.
    var part: Int?
}
