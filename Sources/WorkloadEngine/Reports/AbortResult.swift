import Text

/// The threshold that ended a run early.
public struct AbortResult: Sendable, Codable, Equatable {
    /// The measured time before the threshold was missed, in seconds.
    public var seconds: Double
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The threshold's expression as written in the scenario.
    public var expression: String
    /// The value at that time, in the metric's base unit, or `nil` if a lower percentile
    /// decided the threshold.
    public var observed: Double?
    /// A description, such as `p(99) of ui.response was 120 ms, limit 50ms`.
    public var reason: String

    var sentence: String { "aborted after \(ReportUnits.seconds(seconds)): \(reason)" }
}
