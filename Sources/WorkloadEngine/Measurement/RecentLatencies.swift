import Telemetry

/// The latencies of a client over the last seconds, for a live view.
///
/// One second of a client with 200 accesses has no 99th percentile: fewer than ten values lie
/// beyond it. So a live view looks back over ten seconds, second by second.
struct RecentLatencies {
    /// What a stretch of time says in a few numbers.
    struct Summaries {
        var response: LatencySummary?
        var wait: LatencySummary?
        var service: LatencySummary?

        init() {}

        fileprivate init(_ histograms: AccessHistograms) {
            response = histograms.response.summary
            wait = histograms.wait.summary
            service = histograms.service.summary
        }
    }

    /// How many seconds a live view looks back over.
    static let length = 10

    private var seconds: [AccessHistograms] = []
    private var current = 0
    private var sum = AccessHistograms()
    /// The last second alone.
    private(set) var second = Summaries()
    /// The last ten seconds.
    private(set) var summaries = Summaries()

    /// The responses of the last ten seconds.
    var response: LatencyHistogram { sum.response }

    /// Starts to add up a second.
    mutating func startSecond() {
        if seconds.count < Self.length {
            seconds.append(AccessHistograms())
            current = seconds.count - 1
        } else {
            current = (current + 1) % Self.length
            seconds[current].clear()
        }
    }

    /// Adds latencies to the second that was started.
    mutating func add(_ histograms: AccessHistograms) {
        seconds[current].addEnded(histograms)
    }

    /// Makes the summaries anew.
    mutating func endSecond() {
        sum.clear()
        for second in seconds { sum.addEnded(second) }
        summaries = Summaries(sum)
        second = Summaries(seconds[current])
    }
}
