import TerminalUI

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
