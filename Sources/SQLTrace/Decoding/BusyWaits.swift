/// The time that SQLite's own busy handler has waited, from the number of its calls
/// (`sqliteDefaultBusyCallback` in `main.c`).
enum BusyWaits {
    /// The first delays, in milliseconds; the last one applies to all further calls.
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// Returns the total delay of a number of calls, in seconds; the timeout is in milliseconds.
    static func seconds(calls: Int, timeout: Int?) -> Double {
        let first = delays.prefix(calls).reduce(0, +)
        // Use a Double, which cannot overflow: the number of calls comes from another program.
        let all = Double(first) + Double(max(0, calls - delays.count)) * Double(delays.last ?? 0)
        guard let timeout else { return all / 1_000 }
        return min(all, Double(max(0, timeout))) / 1_000
    }
}
