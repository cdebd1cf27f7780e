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

/// The commands that both dashboards support.
extension RowInteraction {
    mutating func move(_ command: DashboardCommand) {
        let rows = rowNames
        let page = max(1, size.height - 8)
        switch command {
        case .up: select(by: -1, among: rows)
        case .down: select(by: 1, among: rows)
        case .pageUp: select(by: -page, among: rows)
        case .pageDown: select(by: page, among: rows)
        case .first: view.selected = rows.first
        case .last: view.selected = rows.last
        case .left: view.hiddenColumnCount = max(0, view.hiddenColumnCount - 1)
        case .right: view.hiddenColumnCount = min(view.hiddenColumnCount + 1, 16)
        case .expand: expand()
        case .filter:
            guard !sortableTitles.isEmpty else { return }
            overlay = .prompt(
                PromptState(purpose: .filter(previous: view.filter), text: view.filter)
            )
        case .sort: sortByNext()
        case .reverse: view.isReversed.toggle()
        case .focusNext: focus(by: 1)
        case .focusPrevious: focus(by: -1)
        default: break
        }
    }

    /// Moves the selection by a number of rows.
    ///
    /// Without a selection, the first key press selects the first or last row, unless the screen
    /// already highlights a row.
    mutating func select(by step: Int, among rows: [String]) {
        guard let last = rows.indices.last else { return }
        let selected = view.selected.flatMap { rows.firstIndex(of: $0) }
        guard let index = selected ?? (highlightsFirstRow ? 0 : nil) else {
            view.selected = step > 0 ? rows[0] : rows[last]
            return
        }
        view.selected = rows[min(max(index + step, 0), last)]
    }

    /// Selects the next part of the screen or, if `step` is negative, the previous part.
    ///
    /// After the last part, the whole screen is selected.
    private mutating func focus(by step: Int) {
        let count = parts.count
        guard count > 0 else {
            view.focus += step
            return
        }
        let places = count + 1
        let next = ((view.part ?? count) + step + places) % places
        view.part = next < count ? next : nil
        if view.part == nil { view.isExpanded = false }
    }

    /// Sorts by the next sortable column.
    ///
    /// After the last column, the natural order is restored.
    private mutating func sortByNext() {
        let titles = sortableTitles
        guard !titles.isEmpty else { return }
        let index = view.sortColumn.flatMap { titles.firstIndex(of: $0) } ?? -1
        view.sortColumn = index + 1 < titles.count ? titles[index + 1] : nil
        view.isReversed = false
    }

    mutating func performTimeCommand(_ command: DashboardCommand) {
        switch command {
        case .pause: frozen = frozen == nil ? newest : nil
        case .stepBack: step(by: -1)
        case .stepForward: step(by: 1)
        case .seek:
            if newestMomentTime != nil { overlay = .prompt(PromptState(purpose: .seek)) }
        case .zoomIn: windowIndex = max(windowIndex - 1, 0)
        case .zoomOut: windowIndex = min(windowIndex + 1, DashboardModel.windows.count - 1)
        default: break
        }
    }

    /// Displays the moment nearest to the time that the user typed.
    ///
    /// - Returns: An error description, or `nil` if the text is valid.
    mutating func seek(_ text: String) -> String? {
        let trimmed = text.filter { $0 != " " }
        guard !trimmed.isEmpty else { return nil }
        guard let time = RunTime.seconds(of: trimmed, now: newestMomentTime ?? 0) else {
            return "'\(text)' is not a time; enter 12.5, 1:05, or -10 (10 s before the "
                + "newest \(Self.momentName))"
        }
        go(to: time)
        return nil
    }

    /// Changes the theme, the character set, or the overlay.
    mutating func changeAppearance(_ command: DashboardCommand) {
        switch command {
        case .theme: theme = themes.element(after: { $0.name == theme.name }) ?? theme
        case .glyphs: glyphs = glyphChoices.element(after: { $0 == glyphs }) ?? glyphs
        case .help: overlay = .help(top: 0)
        case .back: revertFirstActiveState()
        default: break
        }
    }

    /// Sets and returns the next faster or slower available refresh rate, or returns `nil` if there
    /// is none.
    mutating func changeRefreshRate(_ command: DashboardCommand) -> Double? {
        let rates = DashboardModel.refreshRates
        let next =
            command == .faster
            ? rates.first { $0 > refreshRate } : rates.last { $0 < refreshRate }
        refreshRate = next ?? refreshRate
        return next
    }

    /// Handles the Esc key.
    ///
    /// Reverts the first of these states that is active: expansion, filter, freeze, selected part,
    /// selected row.
    private mutating func revertFirstActiveState() {
        if view.isExpanded {
            view.isExpanded = false
        } else if !view.filter.isEmpty {
            view.filter = ""
        } else if frozen != nil {
            frozen = nil
        } else if view.part != nil {
            view.part = nil
        } else {
            view.selected = nil
        }
    }
}

extension Array {
    /// Returns the element after the first match, wrapping around at the end, or `nil` if the array
    /// is empty.
    fileprivate func element(after isCurrent: (Element) -> Bool) -> Element? {
        guard !isEmpty else { return nil }
        return self[((firstIndex(where: isCurrent) ?? -1) + 1) % count]
    }
}
