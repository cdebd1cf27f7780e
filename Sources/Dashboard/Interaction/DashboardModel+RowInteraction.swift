import TerminalUI

extension DashboardModel: RowInteraction {
    var lastHelpLine: Int { KeyHelp(keys: keys, top: 0).lastTop(in: size) }
}
