import TerminalUI

/// The interaction that both dashboards share.
protocol RowInteraction {
    associatedtype Command: Hashable, Sendable
    associatedtype Action
    associatedtype Content

    var keys: KeyTable<Command> { get }
    var overlay: Overlay? { get set }
    var view: ListView { get set }
    var size: Size { get }
    var theme: Theme { get set }
    var themes: [Theme] { get }
    var glyphs: GlyphSet { get set }
    var glyphChoices: [GlyphSet] { get }
    var refreshRate: Double { get set }
    /// The newest data, even while the display is frozen.
    var newest: Content { get }
    /// The displayed data while the display is frozen.
    var frozen: Content? { get set }
    /// The index of the displayed time window.
    var windowIndex: Int { get set }
    /// The time of the newest moment, in seconds, or `nil` if there is none.
    var newestMomentTime: Double? { get }
    /// The name of a moment, such as `sample`.
    static var momentName: String { get }
    /// The names of the screen's parts, in the order in which the Tab key selects them.
    var parts: [String] { get }
    /// The titles of the screen's sortable columns, or an empty array if rows cannot be sorted or
    /// filtered.
    var sortableTitles: [String] { get }
    /// Whether the screen highlights its first row if no row is selected.
    var highlightsFirstRow: Bool { get }
    /// The names of the selectable rows, from top to bottom.
    var rowNames: [String] { get }
    /// The index of the first line of the help's last page, at the current size.
    var lastHelpPageStart: Int { get }

    func canvas(size: Size) -> Canvas
    /// Opens the selected row, or expands the selected part.
    mutating func expand()
    mutating func perform(_ command: Command) -> [Action]
    /// Returns the shared equivalent of a command, or `nil` if only this dashboard supports the
    /// command.
    static func sharedCommand(for command: Command) -> DashboardCommand?
    /// Displays the moment nearest to a time, in seconds since the first sample.
    mutating func go(to time: Double)
    /// Displays the moment that is `count` moments later, or the newest moment if there are fewer
    /// later moments.
    mutating func step(by count: Int)
    mutating func handle(_ key: Key, inCheckpoint choice: Int) -> [Action]
}

extension RowInteraction {
    mutating func handle(_ key: Key, in overlay: Overlay) -> [Action] {
        // ^C quits even while an overlay is open.
        if key == .control("c"), let command = keys.command(for: key),
            Self.sharedCommand(for: command) == .quit
        {
            return perform(command)
        }
        switch overlay {
        case .help(let top): return handle(key, inHelpFrom: top)
        case .checkpoint(let choice): return handle(key, inCheckpoint: choice)
        case .prompt(let prompt):
            handle(key, in: prompt)
            return []
        }
    }

    private mutating func handle(_ key: Key, inHelpFrom top: Int) -> [Action] {
        let page = max(1, size.height - 4)
        let last = lastHelpPageStart
        func scrolled(by lines: Int) -> Overlay { .help(top: min(max(top + lines, 0), last)) }
        guard let command = keys.command(for: key) else { return [] }
        switch Self.sharedCommand(for: command) {
        case .help, .back, .expand: overlay = nil
        case .up: overlay = scrolled(by: -1)
        case .down: overlay = scrolled(by: 1)
        case .pageUp: overlay = scrolled(by: -page)
        case .pageDown, .pause: overlay = scrolled(by: page)
        case .first: overlay = .help(top: 0)
        case .last: overlay = .help(top: last)
        default:
            // Other keys close the help and perform their commands.
            overlay = nil
            return perform(command)
        }
        return []
    }

    private mutating func handle(_ key: Key, in prompt: PromptState) {
        var prompt = prompt
        switch prompt.handle(key) {
        case .canceled:
            overlay = nil
            if case .filter(let previous) = prompt.purpose { view.filter = previous }
        case .entered:
            overlay = nil
            if prompt.purpose == .seek, let problem = seek(prompt.text) {
                prompt.problem = problem
                overlay = .prompt(prompt)
            }
        case .edited:
            // Filter the rows while the user types.
            if case .filter = prompt.purpose { view.filter = prompt.text }
            overlay = .prompt(prompt)
        }
    }

    mutating func handle(_ mouse: MouseEvent) -> [Action] {
        if case .help(let top)? = overlay {
            switch mouse.action {
            case .wheelUp: overlay = .help(top: max(top - 3, 0))
            case .wheelDown: overlay = .help(top: min(top + 3, lastHelpPageStart))
            case .press: overlay = nil
            case .drag, .release: break
            }
            return []
        }
        guard overlay == nil else { return [] }
        switch mouse.action {
        case .wheelUp: select(by: -1, among: rowNames)
        case .wheelDown: select(by: 1, among: rowNames)
        case .press, .drag:
            guard let target = canvas(size: size).target(at: mouse.position) else { return [] }
            return activate(target, isDrag: mouse.action == .drag)
        case .release: break
        }
        return []
    }

    private mutating func activate(_ target: MouseTarget, isDrag: Bool) -> [Action] {
        switch target {
        case .key(let key):
            guard !isDrag, let command = keys.command(for: key) else { return [] }
            return perform(command)
        case .row(let name):
            // A second click opens the row.
            if !isDrag, view.selected == name { expand() } else { view.selected = name }
        case .column(let name):
            guard !isDrag else { return [] }
            view.isReversed = view.sortColumn == name ? !view.isReversed : false
            view.sortColumn = name
        case .time(let seconds): go(to: seconds)
        }
        return []
    }
}
