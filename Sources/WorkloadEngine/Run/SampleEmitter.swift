import Telemetry

/// An emitter that delivers samples to a callback and to a stream that keeps only the newest
/// sample.
final class SampleEmitter {
    private let continuation: AsyncStream<Sample>.Continuation
    private let callback: (@Sendable (Sample) -> Void)?
    /// The events from samples that the stream dropped.
    private var droppedEvents: [TelemetryEvent] = []

    /// The maximum number of events to keep for a slow consumer.
    private static let maximumDroppedEventCount = 200

    init(
        _ continuation: AsyncStream<Sample>.Continuation,
        _ callback: (@Sendable (Sample) -> Void)?
    ) {
        self.continuation = continuation
        self.callback = callback
    }

    /// Delivers a sample, adding the events from dropped samples to the stream's copy.
    func emit(_ sample: Sample) {
        callback?(sample)
        var streamed = sample
        streamed.events = droppedEvents + sample.events
        droppedEvents = []
        if case .dropped(let dropped) = continuation.yield(streamed) {
            droppedEvents = dropped.events.suffix(Self.maximumDroppedEventCount)
        }
    }
}
