import TerminalUI

/// The mouse and prompt handling of both dashboards.
protocol RowInteraction {
    associatedtype Command: Hashable, Sendable
    associatedtype Action

    var keys: KeyTable<Command> { get }
    var overlay: Overlay? { get set }
    var view: ListView { get set }
    var size: Size { get }
    /// The names of the selectable rows, from top to bottom.
    var rowNames: [String] { get }
    /// The first line of the help's last page at the current size.
    var lastHelpLine: Int { get }

    func canvas(size: Size) -> Canvas
    /// Moves the selection by a number of rows.
    mutating func select(by step: Int, among rows: [String])
    /// Opens the selected row, or expands the selected part.
    mutating func expand()
    mutating func perform(_ command: Command) -> [Action]
    /// Displays the moment nearest to a time, in seconds since the first sample.
    mutating func go(to time: Double)
    /// Displays the moment nearest to a typed time, or returns an error description.
    mutating func seek(_ text: String) -> String?
}

extension RowInteraction {
    mutating func handle(_ key: Key, in prompt: PromptState) {
        var prompt = prompt
        switch prompt.handle(key) {
        case .cancelled:
            overlay = nil
            if case .filter(let before) = prompt.purpose { view.filter = before }
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
            case .wheelDown: overlay = .help(top: min(top + 3, lastHelpLine))
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
