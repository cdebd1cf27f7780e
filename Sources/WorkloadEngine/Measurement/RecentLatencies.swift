import Telemetry

/// A client's recent latencies, for a live view.
///
/// A high percentile needs more samples than one second may provide. A live view therefore covers
/// the last ten seconds and advances once per second.
struct RecentLatencies {
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
    /// The index of the current second in ``seconds``.
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

    mutating func add(_ histograms: AccessHistograms) {
        seconds[current].addEnded(histograms)
    }

    mutating func endSecond() {
        sum.clear()
        for second in seconds { sum.addEnded(second) }
        summaries = Summaries(sum)
        second = Summaries(seconds[current])
    }
}
