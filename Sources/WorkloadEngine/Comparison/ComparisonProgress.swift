/// A type that estimates the remaining time of a comparison from its completed runs.
struct ComparisonProgress {
    private let runCount: Int
    private let firstGuess: Duration
    private let clock: any RunClock
    private let start: UInt64
    private var completedRunCount = 0

    /// Creates an estimate that starts now.
    ///
    /// `firstGuess` is the estimated length of a run before the first measurement.
    init(runs: Int, firstGuess: Duration, clock: any RunClock) {
        runCount = runs
        self.firstGuess = firstGuess
        self.clock = clock
        start = clock.now()
    }

    mutating func countRun() { completedRunCount += 1 }

    var remaining: String {
        let runSeconds =
            completedRunCount > 0
            ? Double(clock.now() - start) / Double(completedRunCount) / 1e9 : firstGuess.inSeconds
        let remainingRunCount = runCount - completedRunCount
        return "about \(Self.text(seconds: runSeconds * Double(remainingRunCount))) left"
    }

    /// Returns a time as text, rounded up to whole seconds.
    ///
    /// Times above 30 seconds are rounded up to a multiple of five.
    static func text(seconds: Double) -> String {
        var whole = Int(max(1, seconds).rounded(.up))
        if whole > 30 { whole = (whole + 4) / 5 * 5 }
        guard whole >= 60 else { return "\(whole) s" }
        return whole % 60 == 0 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s"
    }
}
