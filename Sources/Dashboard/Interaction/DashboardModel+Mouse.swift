import TerminalUI

extension DashboardModel {
    /// Does what a click, a drag or a wheel means where it happened.
    mutating func handle(_ mouse: MouseEvent) -> [DashboardAction] {
        if case .help(let top)? = overlay {
            let last = KeyHelp(keys: keys, top: 0).lastTop(in: size)
            switch mouse.action {
            case .wheelUp: overlay = .help(top: max(top - 3, 0))
            case .wheelDown: overlay = .help(top: min(top + 3, last))
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
            return use(target, isDrag: mouse.action == .drag)
        case .release: break
        }
        return []
    }

    private mutating func use(_ target: MouseTarget, isDrag: Bool) -> [DashboardAction] {
        switch target {
        case .key(let key):
            guard !isDrag, let command = keys.command(for: key) else { return [] }
            return perform(command)
        case .row(let name):
            // A second click on it opens it.
            if !isDrag, view.selected == name {
                expand()
            } else {
                view.selected = name
            }
        case .column(let name):
            guard !isDrag else { return [] }
            if view.sortColumn == name {
                view.isReversed.toggle()
            } else {
                view.sortColumn = name
                view.isReversed = false
            }
        case .time(let seconds): go(to: seconds)
        }
        return []
    }
}
