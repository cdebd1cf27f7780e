import Telemetry

/// Hands samples on: to a stream that keeps the newest, and to a callback.
final class SampleEmitter {
    private let continuation: AsyncStream<Sample>.Continuation
    private let callback: (@Sendable (Sample) -> Void)?
    /// The events of samples that nobody took from the stream in time.
    private var missed: [TelemetryEvent] = []

    /// The most events that are kept for a slow reader.
    private static let limit = 200

    init(
        _ continuation: AsyncStream<Sample>.Continuation,
        _ callback: (@Sendable (Sample) -> Void)?
    ) {
        self.continuation = continuation
        self.callback = callback
    }

    /// Hands a sample on; the stream's also has the events of those that it displaced.
    func emit(_ sample: Sample) {
        callback?(sample)
        var streamed = sample
        streamed.events = missed + sample.events
        missed = []
        if case .dropped(let displaced) = continuation.yield(streamed) {
            missed = displaced.events.suffix(Self.limit)
        }
    }
}
