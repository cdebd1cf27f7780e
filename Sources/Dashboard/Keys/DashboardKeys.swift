import TerminalUI

/// The keys of the run dashboard.
package typealias DashboardKeys = KeyTable<DashboardCommand>

extension KeyTable<DashboardCommand> {
    package static var standard: DashboardKeys {
        DashboardKeys(bindings: DashboardCommand.bindings)
    }

    /// Creates the default keys with changes for some commands.
    ///
    /// - Parameter changes: The new keys of commands, with the displayed key first. An empty array
    ///   disables a command.
    /// - Throws: ``Failure`` if the changes assign a key to two commands, or if the quit command
    ///   has no key.
    package init(changing changes: [DashboardCommand: [Key]]) throws(Failure) {
        try self.init(
            bindings: DashboardCommand.bindings,
            changing: changes,
            keeping: .quit,
            name: \.rawValue
        )
    }

    /// Returns the label of the key for a screen, or `nil` if the screen has no key.
    func label(of screen: DashboardScreen) -> String? {
        DashboardCommand.allCases.first { $0.screen == screen }.flatMap(key)?.label
    }
}
