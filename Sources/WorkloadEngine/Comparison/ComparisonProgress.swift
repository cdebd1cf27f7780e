/// How long a comparison will still take, by the runs that it has done.
struct ComparisonProgress {
    private let runs: Int
    private let firstGuess: Duration
    private let clock: any RunClock
    private let start: UInt64
    private var done = 0

    /// Starts to count.
    ///
    /// - Parameters:
    ///   - runs: How many runs there are.
    ///   - firstGuess: How long one of them takes, as far as one can say before the first.
    ///   - clock: What time is taken from.
    init(runs: Int, firstGuess: Duration, clock: any RunClock) {
        self.runs = runs
        self.firstGuess = firstGuess
        self.clock = clock
        start = clock.now()
    }

    /// Notes that a run has ended.
    mutating func countRun() { done += 1 }

    /// What is left, such as `about 1 min 40 s left`.
    var remaining: String {
        let each =
            done > 0
            ? Double(clock.now() - start) / Double(done) / 1e9 : firstGuess.inSeconds
        return "about \(Self.text(seconds: each * Double(runs - done))) left"
    }

    /// A time to wait, in whole seconds, and in steps of five from half a minute on.
    static func text(seconds: Double) -> String {
        var whole = Int(max(1, seconds).rounded(.up))
        if whole > 30 { whole = (whole + 4) / 5 * 5 }
        guard whole >= 60 else { return "\(whole) s" }
        return whole % 60 == 0 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s"
    }
}
