/// The progress of a backup.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that remain to be copied (`sqlite3_backup_remaining`).
    public let remainingPageCount: Int

    /// The number of pages in the source (`sqlite3_backup_pagecount`).
    public let totalPageCount: Int

    /// Whether all pages have been copied.
    public let isCompleted: Bool

    /// The number of copied pages.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}
