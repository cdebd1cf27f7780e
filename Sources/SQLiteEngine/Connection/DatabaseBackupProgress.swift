/// How far a backup has come.
public struct DatabaseBackupProgress: Sendable {
    /// How many pages are still to be copied (`sqlite3_backup_remaining`).
    public let remainingPageCount: Int

    /// How many pages the source has (`sqlite3_backup_pagecount`).
    public let totalPageCount: Int

    /// Whether all is copied.
    public let isCompleted: Bool

    /// How many pages were copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}
