import Telemetry

extension ComparisonMeasurement {
    /// Creates a measurement from the result of another program's run.
    ///
    /// The result contains the percentiles of clients without skipped accesses. For other clients,
    /// the percentiles are computed from the result's distribution and the skipped accesses, with
    /// an error of at most 6.25%.
    init(program result: ArmResult, clients: [Client]) {
        let completed = result.clients.compactMapValues { client in
            client.spectra.map {
                LatencyHistogram($0.response, maximum: client.response?.max ?? .max)
            }
        }
        self.init(result, completed: completed, clients: clients)
        summaries = result.clients.compactMapValues { $0.skipped == 0 ? $0.response : nil }
    }
}

extension LatencyHistogram {
    /// The number of values that represent each bucket of a spectrum.
    private static let steps: UInt64 = 8

    /// Creates a histogram from a spectrum, assuming that latencies are evenly distributed within
    /// each bucket.
    ///
    /// `maximum` is the largest latency, in nanoseconds.
    init(_ spectrum: LatencySpectrum, maximum: UInt64) {
        self.init()
        for bucket in spectrum.buckets {
            let width = bucket.upper - bucket.lower
            for step in 0..<Self.steps {
                let below = bucket.count * step / Self.steps
                let count = bucket.count * (step + 1) / Self.steps - below
                guard count > 0 else { continue }
                let value = bucket.lower + width * (2 * step + 1) / (2 * Self.steps)
                self.count(min(value, maximum), times: count)
            }
        }
    }
}
