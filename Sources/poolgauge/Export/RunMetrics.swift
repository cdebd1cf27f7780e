import MetricDescriptors
import PoolgaugeAgent
import Telemetry

/// The metrics of the latest sample of a run.
///
/// The run stores only a reference to the sample. The server's thread creates the text.
final class RunMetrics: Sendable {
    private struct State {
        var sample: Sample?
        var wasMeasured = false
        var mustRestart = false
    }

    private let state = Lock(State())
    private let database = MetricText()
    private let load = MetricText()

    /// Replaces the sample.
    func receive(_ sample: Sample) {
        state.withLock { state in
            let isMeasured = sample.isMeasured == true
            // The database's times restart with each arm and at the start of the measurement.
            if state.sample?.arm != sample.arm || isMeasured != state.wasMeasured {
                state.mustRestart = true
            }
            state.wasMeasured = isMeasured
            state.sample = sample
        }
    }

    /// Returns the metrics in Prometheus's text format, or an empty string before the first sample.
    func text() -> String {
        let (sample, mustRestart) = state.withLock { state in
            defer { state.mustRestart = false }
            return (state.sample, state.mustRestart)
        }
        guard let sample else { return "" }
        if mustRestart {
            database.discardStoredValues()
            load.discardStoredValues()
        }
        let arm = [(name: "arm", value: sample.arm)]
        // A status without a time describes a database that is not open or that does not report its
        // status.
        let isKnown = sample.state != .preparing && sample.database.takenAtNanoseconds > 0
        return database.text(DatabaseMetric.all, of: isKnown ? [sample.database] : [], labels: arm)
            + load.text(LoadMetric.all, of: [sample], labels: arm)
    }
}
