/// The screens of the watch dashboard, in the order of their keys.
package enum WatchScreens {
    /// The screens that do not require traced statements.
    package static let standard: [any WatchScreen.Type] = [
        WatchOverviewScreen.self, ProcessesScreen.self, LogScreen.self, EpisodesScreen.self,
        TablesScreen.self, DatabasesScreen.self,
    ]
    /// The standard screens, followed by the screens for traced statements.
    package static let traced: [any WatchScreen.Type] =
        standard + [
            StatementsScreen.self, ActivityScreen.self, BlockedScreen.self,
            ConnectionSettingsScreen.self,
        ]
}
