/// The time that SQLite's own busy handler has waited, from the number of its calls
/// (`sqliteDefaultBusyCallback` in `main.c`).
enum BusyWaits {
    /// Milliseconds of the first waits; all later ones are as long as the last of these.
    private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// Seconds that so many calls wait, up to the timeout in milliseconds.
    static func seconds(calls: Int, timeout: Int?) -> Double {
        let first = delays.prefix(calls).reduce(0, +)
        // Multiplied as a double: the number of calls is another program's.
        let all = Double(first) + Double(max(0, calls - delays.count)) * Double(delays.last ?? 0)
        guard let timeout else { return all / 1_000 }
        return min(all, Double(max(0, timeout))) / 1_000
    }
}
