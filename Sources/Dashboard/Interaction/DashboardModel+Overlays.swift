import TerminalUI

extension DashboardModel {
    mutating func handle(_ key: Key, in overlay: Overlay) -> [DashboardAction] {
        // ^C quits even while an overlay is open.
        if key == .control("c"), keys.command(for: key) == .quit { return [.quit] }
        switch overlay {
        case .help(let top): return handle(key, inHelpFrom: top)
        case .checkpoint(let choice): return handle(key, inCheckpoint: choice)
        case .prompt(let prompt):
            handle(key, in: prompt)
            return []
        }
    }

    private mutating func handle(_ key: Key, inHelpFrom top: Int) -> [DashboardAction] {
        let page = max(1, size.height - 4)
        let last = lastHelpLine
        func scrolled(by lines: Int) -> Overlay { .help(top: min(max(top + lines, 0), last)) }
        switch keys.command(for: key) {
        case .help, .back, .expand: overlay = nil
        case .up: overlay = scrolled(by: -1)
        case .down: overlay = scrolled(by: 1)
        case .pageUp: overlay = scrolled(by: -page)
        case .pageDown, .pause: overlay = scrolled(by: page)
        case .first: overlay = .help(top: 0)
        case .last: overlay = .help(top: last)
        case .quit: return [.quit]
        case let command?:
            // Other keys close the help and perform their commands.
            overlay = nil
            return perform(command)
        case nil: break
        }
        return []
    }

    private mutating func handle(_ key: Key, inCheckpoint choice: Int) -> [DashboardAction] {
        let modes = DashboardAction.CheckpointMode.allCases
        func request(_ mode: DashboardAction.CheckpointMode) -> [DashboardAction] {
            [.checkpoint(mode)]
        }
        switch key {
        case .enter:
            overlay = nil
            return request(modes[choice])
        case .escape: overlay = nil
        case .up, .left, .backTab: overlay = .checkpoint((choice + modes.count - 1) % modes.count)
        case .down, .right, .tab: overlay = .checkpoint((choice + 1) % modes.count)
        case .character(let letter):
            overlay = nil
            if let mode = modes.first(where: { $0.rawValue.first == letter }) {
                return request(mode)
            }
            if keys.command(for: key) == .checkpoint { return request(modes[choice]) }
        default: overlay = nil
        }
        return []
    }
}
