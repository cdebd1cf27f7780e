/// The threshold that ended a run early.
public struct AbortResult: Sendable, Codable, Equatable {
    /// The measured time when the threshold was missed, in seconds.
    public var seconds: Double
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The threshold's expression as written.
    public var expression: String
    /// The value when the threshold was missed, in the metric's base unit, or `nil` if a lower
    /// percentile decided the result.
    public var observed: Double?
    /// A description of the missed limit, such as `p(99) of ui.response was 120 ms, limit 50ms`.
    public var reason: String

    /// A sentence with the time and the missed limit.
    var sentence: String { "aborted after \(HumanUnits.seconds(seconds)): \(reason)" }
}
