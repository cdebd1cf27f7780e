/// A type that derives the waiting time of SQLite's built-in busy handler from the number of its
/// calls (`sqliteDefaultBusyCallback` in `main.c`).
enum BusyWaits {
    /// The delays of the first calls, in milliseconds.
    ///
    /// The last delay applies to all later calls.
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// Returns the total delay of the calls, in seconds.
    ///
    /// The busy timeout is in milliseconds, or `nil` for no limit.
    static func seconds(calls: Int, timeout: Int?) -> Double {
        let first = delays.prefix(calls).reduce(0, +)
        // Use a Double, which cannot overflow, because the number of calls comes from another
        // program.
        let all = Double(first) + Double(max(0, calls - delays.count)) * Double(delays.last ?? 0)
        guard let timeout else { return all / 1_000 }
        return min(all, Double(max(0, timeout))) / 1_000
    }
}
