import TerminalUI

/// A screen of the run dashboard, created from a scene for each frame.
///
/// To add a screen, add a type, a case of ``DashboardScreen``, and an entry in ``RunScreens``, which
/// defines the screen's key, its position in the footer, and its line in the help.
protocol RunScreen: Sendable {
    /// The name in the footer.
    static var title: String { get }
    /// The description in the help, at most 40 columns wide.
    static var help: String { get }
    /// The names of the parts, in the order in which the Tab key selects them.
    static var parts: [String] { get }
    /// The titles of the sortable columns, or an empty array if rows cannot be sorted or filtered.
    static var sortableTitles: [String] { get }
    /// Whether the first row is highlighted while none is selected.
    static var highlightsFirstRow: Bool { get }
    /// Whether the rows are connections, whose statements can be interrupted.
    static var listsConnections: Bool { get }

    /// Returns whether Enter has an effect.
    static func canExpand(_ view: ListView) -> Bool

    init(scene: ScreenScene)

    /// The names of the selectable rows, from top to bottom.
    var rowNames: [String] { get }

    /// Returns the text to copy for a selected row, or `nil` to copy the verdict.
    func copyText(of row: String) -> String?

    func draw(on canvas: inout Canvas, in rect: Rect)
}

extension RunScreen {
    static var parts: [String] { [] }
    static var sortableTitles: [String] { [] }
    static var highlightsFirstRow: Bool { false }
    static var listsConnections: Bool { false }
    static func canExpand(_ view: ListView) -> Bool { view.part != nil }
    func copyText(of row: String) -> String? { row }
}

/// The screens of the run dashboard, in the order of their keys and of ``DashboardScreen``.
enum RunScreens {
    static let all: [any RunScreen.Type] = [
        OverviewScreen.self, ConnectionsScreen.self, WaitersScreen.self, SnapshotsScreen.self,
        LatencyScreen.self, CompareScreen.self, WorkloadScreen.self,
    ]
}

/// A screen of the run dashboard.
///
/// The raw value is the digit of the screen's default key.
package enum DashboardScreen: Int, Sendable, CaseIterable {
    case overview = 1
    case connections
    case waiters
    case snapshots
    case latency
    case compare
    case workload

    var type: any RunScreen.Type { RunScreens.all[rawValue - 1] }

    /// The names of the parts, in the order in which the Tab key selects them.
    var parts: [String] { type.parts }

    package var title: String { type.title }
}
