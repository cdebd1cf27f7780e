import Telemetry

/// The part of an access that a latency measures.
enum LatencyPart: Int, CaseIterable, Sendable {
    /// From the scheduled start to the end of the access.
    case response
    /// From the start of the access to the start of its closure.
    case wait
    /// From the start of the closure to the end of the access.
    case service

    var title: String {
        switch self {
        case .response: "response"
        case .wait: "wait"
        case .service: "service"
        }
    }

    func meaning(isOpenLoop: Bool) -> String {
        switch self {
        case .response:
            isOpenLoop
                ? "from its scheduled start to its end: corrected for coordinated omission"
                : "from its start to its end; the next access waits for it (closed loop)"
        case .wait: "from its start until it acquires a connection"
        case .service: "from acquiring a connection to its end"
        }
    }
}

/// The latency distributions of each operation, second by second, over the last five minutes.
struct OperationHistory: Sendable {
    /// The maximum number of recorded seconds.
    static let capacity = 300
    /// The maximum number of recorded operations.
    ///
    /// Their distributions use at most 9 MiB.
    static let maximumSeries = 64

    struct Second: Sendable {
        var time: Double
        var latencies: OperationLatencies

        func distribution(_ part: LatencyPart) -> LatencyDistribution {
            switch part {
            case .response: latencies.response
            case .wait: latencies.wait
            case .service: latencies.service
            }
        }
    }

    struct Series: Sendable {
        var client: String
        var operation: String
        var isOpenLoop: Bool
        var seconds = RingBuffer<Second>(capacity: OperationHistory.capacity)

        var name: String { client == operation ? client : "\(client) · \(operation)" }

        /// Returns the distribution of all accesses that ended between two times.
        func distribution(
            _ part: LatencyPart,
            from start: Double,
            to end: Double
        ) -> LatencyDistribution {
            var sum = LatencyDistribution()
            visit(from: start, to: end) { sum.add($0.distribution(part)) }
            return sum
        }

        /// Visits the seconds that ended between two times, newest first.
        func visit(from start: Double, to end: Double, _ body: (Second) -> Void) {
            visitIntervals(from: start, to: end) { second, _ in body(second) }
        }

        /// Visits the seconds that ended between two times, newest first, with their start times.
        ///
        /// On a busy machine, a sample may arrive late, so the interval can be longer than a
        /// second.
        func visitIntervals(
            from start: Double,
            to end: Double,
            _ body: (Second, _ start: Double) -> Void
        ) {
            var index = seconds.count - 1
            while index >= 0, seconds[index].time > start {
                let time = seconds[index].time
                let previousTime = index > 0 ? seconds[index - 1].time : time - 1
                if time <= end + 0.05 { body(seconds[index], max(previousTime, time - 3)) }
                index -= 1
            }
        }
    }

    private(set) var series: [Series] = []

    /// Adds the latencies in a sample, which cover the preceding second.
    mutating func append(_ sample: Sample, time: Double) {
        for client in sample.clients {
            for operation in client.operations ?? [] {
                var seriesIndex = series.firstIndex {
                    $0.client == client.name && $0.operation == operation.name
                }
                if seriesIndex == nil {
                    // Omit operations without completed accesses.
                    let isEmpty = operation.response.counts.isEmpty
                    guard !isEmpty, series.count < Self.maximumSeries else { continue }
                    series.append(
                        Series(
                            client: client.name,
                            operation: operation.name,
                            isOpenLoop: client.targetRate != nil
                        )
                    )
                    seriesIndex = series.count - 1
                }
                guard let seriesIndex else { continue }
                series[seriesIndex].seconds.append(Second(time: time, latencies: operation))
            }
        }
    }
}
