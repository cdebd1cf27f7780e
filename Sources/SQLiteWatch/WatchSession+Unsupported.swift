#if !os(Linux)
/// Watches SQLite databases that other processes use; on Linux only.
public final class WatchSession {
    /// The most databases that one session watches.
    public static let databaseLimit = 64

    /// Throws ``WatchError/Code/unsupportedSystem``: only Linux lists the locks of all processes.
    public init(
        paths: [String],
        helper: [String],
        options: WatchOptions = WatchOptions()
    ) throws(WatchError) {
        throw WatchError(
            .unsupportedSystem,
            "databases are watched by the locks that Linux lists in /proc/locks; this system has "
                + "no such list"
        )
    }

    /// Does nothing.
    public func run(for duration: Duration, until isStopped: () -> Bool = { false }) {}

    /// Does nothing.
    public func sample() {}

    /// Returns nothing.
    public var states: [(path: String, state: WatchedFile.State, problem: String?)] { [] }

    /// Returns nothing.
    public func reports() -> [WatchReport] { [] }
}

/// The process that opens the watched files; on Linux only.
public enum WatchHelper {
    /// Returns at once.
    public static func run() {}
}
#endif
