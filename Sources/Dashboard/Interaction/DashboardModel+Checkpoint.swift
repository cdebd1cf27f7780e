import TerminalUI

extension DashboardModel {
    mutating func handle(_ key: Key, inCheckpoint choice: Int) -> [DashboardAction] {
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
