import TerminalUI

/// The keys of the dashboard over a run.
package typealias DashboardKeys = KeyTable<DashboardCommand>

extension KeyTable<DashboardCommand> {
    /// The keys as they ship.
    package static var standard: DashboardKeys {
        DashboardKeys(bindings: DashboardCommand.bindings)
    }

    /// The keys as they ship, except those of some commands.
    ///
    /// - Parameter changes: The keys of commands, the one that is shown first; an empty list
    ///   switches a command off.
    /// - Throws: ``Failure`` when two commands of the changes want the same key, or when no key
    ///   would quit.
    package init(changing changes: [DashboardCommand: [Key]]) throws(Failure) {
        try self.init(
            bindings: DashboardCommand.bindings,
            changing: changes,
            keeping: .quit,
            name: \.rawValue
        )
    }

    /// The label of the key that shows a screen; nil where it has none.
    func label(of screen: DashboardScreen) -> String? {
        DashboardCommand.allCases.first { $0.screen == screen }.flatMap(key)?.label
    }
}
