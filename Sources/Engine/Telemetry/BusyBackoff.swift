/// The pauses between attempts to acquire a file lock.
///
/// The pauses are those of SQLite's busy timeout (`sqliteDefaultBusyCallback` in `main.c`).
package enum BusyBackoff {
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// Returns the length of the pause before the next attempt.
    ///
    /// - Parameters:
    ///   - tries: The number of earlier calls for this lock.
    ///   - timeout: The maximum total time, in seconds.
    /// - Returns: The length in milliseconds, or `nil` if the timeout has elapsed.
    package static func pause(tries: Int, timeout: Double) -> Int? {
        let limit = Int(timeout * 1_000)
        let known = min(tries, delays.count)
        let elapsed =
            delays[..<known].reduce(0, +) + max(0, tries - delays.count) * delays[delays.count - 1]
        let delay = delays[min(tries, delays.count - 1)]
        let pause = min(delay, limit - elapsed)
        return pause > 0 ? pause : nil
    }
}
