/// What somebody selected, sorted and filtered on a screen.
struct ListView: Sendable, Equatable {
    /// The name of the selected row; nil while nobody selected one.
    var selected: String?
    /// The name of the column that rows are sorted by; nil for their natural order.
    var sortColumn: String?
    /// Whether they are sorted the other way around.
    var isReversed = false
    /// What rows must contain.
    var filter = ""
    /// Whether all of the selected row is shown.
    var isExpanded = false
    /// How many columns lie hidden on the left.
    var firstColumn = 0
    /// Which part of an access the latency screen shows.
    var focus = 0
    /// Which part of the screen somebody chose, by its place in ``DashboardScreen/parts``.
    var part: Int?
}
