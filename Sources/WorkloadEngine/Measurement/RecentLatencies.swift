import Telemetry

/// A client's recent latencies, for a live view.
///
/// A second in which a client makes 200 accesses has no 99th percentile, because fewer than ten
/// values are above it. A live view therefore covers the last ten seconds and advances once per
/// second.
struct RecentLatencies {
    /// The summaries of a time interval.
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

    /// The number of seconds that a live view covers.
    static let length = 10

    private var seconds: [AccessHistograms] = []
    private var current = 0
    private var sum = AccessHistograms()
    /// The summaries of the last second.
    private(set) var second = Summaries()
    /// The summaries of the last ten seconds.
    private(set) var summaries = Summaries()

    /// The response times of the last ten seconds.
    var response: LatencyHistogram { sum.response }

    mutating func startSecond() {
        if seconds.count < Self.length {
            seconds.append(AccessHistograms())
            current = seconds.count - 1
        } else {
            current = (current + 1) % Self.length
            seconds[current].clear()
        }
    }

    /// Adds latencies to the current second.
    mutating func add(_ histograms: AccessHistograms) {
        seconds[current].addEnded(histograms)
    }

    /// Updates the summaries.
    mutating func endSecond() {
        sum.clear()
        for second in seconds { sum.addEnded(second) }
        summaries = Summaries(sum)
        second = Summaries(seconds[current])
    }
}
