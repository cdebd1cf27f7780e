import SQLiteWatch
import TerminalUI

extension WatchDashboard: RowInteraction {
    var rowNames: [String] { content.rowNames }

    var lastHelpLine: Int { WatchHelp(keys: keys, top: 0).lastTop(in: size) }

    mutating func perform(_ command: WatchCommand) -> [Action] {
        switch command {
        case .screen(let index):
            if screens.indices.contains(index) { screen = index }
        case .nextDatabase: showDatabase(by: 1)
        case .previousDatabase: showDatabase(by: -1)
        case .common(let command):
            switch command.purpose {
            case .time: travel(command)
            case .moving: move(command)
            case .display: return changeDisplay(command)
            case .screens, .acting: break
            }
        }
        return []
    }

    private mutating func showDatabase(by step: Int) {
        guard !shown.isEmpty else { return }
        path = shown[(displayedIndex + step + shown.count) % shown.count].path
    }

    // MARK: Display

    private mutating func changeDisplay(_ command: DashboardCommand) -> [Action] {
        switch command {
        case .quit: return [.quit]
        case .theme: theme = themes.element(after: { $0.name == theme.name }) ?? theme
        case .glyphs: glyphs = glyphChoices.element(after: { $0 == glyphs }) ?? glyphs
        case .slower: changeRefreshRate(to: DashboardModel.refreshRates.last { $0 < refreshRate })
        case .faster: changeRefreshRate(to: DashboardModel.refreshRates.first { $0 > refreshRate })
        case .help: overlay = .help(top: 0)
        case .back: leave()
        case .copy:
            let selected = view.selected.flatMap { content.copyText(of: $0) }
            guard let text = selected ?? history?.report?.verdict.text else { return [] }
            note("copied: \(text)")
            return [.copy(text)]
        default: break
        }
        return []
    }

    private mutating func changeRefreshRate(to rate: Double?) {
        guard let rate else { return }
        refreshRate = rate
        note("refresh rate: \(Int(rate)) frames per second")
    }

    /// Handles Esc: reverts the first active state of expansion, filter, freeze, focus, and
    /// selection.
    private mutating func leave() {
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

    // MARK: Moving

    private mutating func move(_ command: DashboardCommand) {
        let rows = content.rowNames
        let page = max(1, size.height - 8)
        switch command {
        case .up: select(by: -1, among: rows)
        case .down: select(by: 1, among: rows)
        case .pageUp: select(by: -page, among: rows)
        case .pageDown: select(by: page, among: rows)
        case .first: view.selected = rows.first
        case .last: view.selected = rows.last
        case .left: view.firstColumn = max(0, view.firstColumn - 1)
        case .right: view.firstColumn = min(view.firstColumn + 1, 16)
        case .expand: expand()
        case .filter:
            guard !screens[screen].sortableTitles.isEmpty else { return }
            overlay = .prompt(
                PromptState(purpose: .filter(before: view.filter), text: view.filter)
            )
        case .sort: sortByNext()
        case .reverse: view.isReversed.toggle()
        case .focusNext: focus(by: 1)
        case .focusPrevious: focus(by: -1)
        default: break
        }
    }

    /// Returns the row at an offset from the selection.
    ///
    /// Without a selection, returns the first or last row.
    func selection(by step: Int, among rows: [String]) -> String? {
        guard let last = rows.indices.last else { return nil }
        guard let index = view.selected.flatMap({ rows.firstIndex(of: $0) }) else {
            return step > 0 ? rows[0] : rows[last]
        }
        return rows[min(max(index + step, 0), last)]
    }

    mutating func select(by step: Int, among rows: [String]) {
        view.selected = selection(by: step, among: rows) ?? view.selected
    }

    mutating func expand() {
        if view.part != nil {
            view.isExpanded.toggle()
            return
        }
        let content = content
        guard let row = view.selected ?? content.rowNames.first else { return }
        switch content.opened(row: row) {
        case .details:
            view.selected = row
            view.isExpanded.toggle()
        case .database(let path):
            self.path = path
            screen = 0
        case .process(let label):
            guard let index = screens.firstIndex(where: { $0 is ProcessesScreen.Type }) else {
                return
            }
            screen = index
            view.selected = label
            view.part = nil
            view.isExpanded = true
        }
    }

    /// Selects another part of the screen.
    ///
    /// After the last part, the whole screen is selected.
    private mutating func focus(by step: Int) {
        let count = screens[screen].parts.count
        guard count > 0 else { return }
        let places = count + 1
        let next = ((view.part ?? count) + step + places) % places
        view.part = next < count ? next : nil
        if view.part == nil { view.isExpanded = false }
    }

    /// Sorts by the next sortable column.
    ///
    /// After the last column, the natural order is restored.
    private mutating func sortByNext() {
        let titles = screens[screen].sortableTitles
        guard !titles.isEmpty else { return }
        let index = view.sortColumn.flatMap { titles.firstIndex(of: $0) } ?? -1
        view.sortColumn = index + 1 < titles.count ? titles[index + 1] : nil
        view.isReversed = false
    }

    // MARK: Time

    private mutating func travel(_ command: DashboardCommand) {
        switch command {
        case .pause: frozen = frozen == nil ? databases : nil
        case .stepBack: step(by: -1)
        case .stepForward: step(by: 1)
        case .seek:
            if history?.report != nil { overlay = .prompt(PromptState(purpose: .seek)) }
        case .zoomIn: window = max(window - 1, 0)
        case .zoomOut: window = min(window + 1, DashboardModel.windows.count - 1)
        default: break
        }
    }

    /// Moves by a number of reports of the displayed database.
    ///
    /// The other databases move to the same time.
    private mutating func step(by count: Int) {
        let index = displayedIndex
        if frozen == nil { frozen = databases }
        guard frozen?.indices.contains(index) == true else { return }
        frozen?[index].step(by: count)
        if let time = frozen?[index].now { go(to: time) }
    }

    /// Displays the reports nearest to a time, in seconds since the first report.
    mutating func go(to time: Double) {
        if frozen == nil { frozen = databases }
        for index in shown.indices { frozen?[index].show(time: time) }
    }

    /// Displays the reports nearest to the time that the user typed.
    ///
    /// - Returns: An error description, or `nil` if the text is valid.
    mutating func seek(_ text: String) -> String? {
        let trimmed = text.filter { $0 != " " }
        guard !trimmed.isEmpty else { return nil }
        guard let time = RunTime.seconds(of: trimmed, now: history?.newestTime ?? 0) else {
            return "'\(text)' is not a time; enter 12.5, 1:05 or -10 (before the newest report)"
        }
        go(to: time)
        return nil
    }

    // MARK: Overlays

    mutating func handle(_ key: Key, in overlay: Overlay) -> [Action] {
        if key == .control("c"), keys.command(for: key) == .common(.quit) { return [.quit] }
        switch overlay {
        case .help(let top): return handle(key, inHelpFrom: top)
        case .prompt(let prompt): handle(key, in: prompt)
        case .checkpoint: self.overlay = nil
        }
        return []
    }

    private mutating func handle(_ key: Key, inHelpFrom top: Int) -> [Action] {
        let page = max(1, size.height - 4)
        let last = lastHelpLine
        func scrolled(by lines: Int) -> Overlay { .help(top: min(max(top + lines, 0), last)) }
        guard let command = keys.command(for: key) else { return [] }
        switch command {
        case .common(.help), .common(.back), .common(.expand): overlay = nil
        case .common(.up): overlay = scrolled(by: -1)
        case .common(.down): overlay = scrolled(by: 1)
        case .common(.pageUp): overlay = scrolled(by: -page)
        case .common(.pageDown), .common(.pause): overlay = scrolled(by: page)
        case .common(.first): overlay = .help(top: 0)
        case .common(.last): overlay = .help(top: last)
        default:
            overlay = nil
            return perform(command)
        }
        return []
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
