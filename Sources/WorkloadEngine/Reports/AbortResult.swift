/// The threshold that ended a run early.
public struct AbortResult: Sendable, Codable, Equatable {
    /// The measured time until then, in seconds.
    public var seconds: Double
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The expression as written.
    public var expression: String
    /// The value at that time, in the metric's base unit; absent if a lower percentile decided.
    public var observed: Double?
    /// The miss in a sentence, such as `p(99) of ui.response was 120 ms, limit 50ms`.
    public var reason: String

    /// The time and the miss in a sentence.
    var sentence: String { "aborted after \(HumanUnits.seconds(seconds)): \(reason)" }
}
