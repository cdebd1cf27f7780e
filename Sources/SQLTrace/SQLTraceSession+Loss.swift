#if os(Linux)
import Telemetry

/// A loss of events because a buffer was full.
struct EventLoss {
    /// The end of the loss in the buffers of the trace instance, if it lost events.
    var end: UInt64?
    /// Whether the buffers of selected processes lost events.
    var isSelected: Bool
}

extension SQLTraceSession {
    /// Discards events and state from before the end of a loss.
    ///
    /// - Parameters:
    ///   - loss: The loss.
    ///   - now: The end of a loss in the buffers of selected processes.
    func handle(_ loss: EventLoss, until now: UInt64) {
        // Without a stop, programs that outpace the decoder would lose events in every batch.
        // With a stop, the events between two losses are complete.
        if loss.end != nil, stopTime == nil {
            probes.instance.record(false)
            stopTime = monotonicNanoseconds()
        }
        let end = max(loss.end ?? 0, loss.isSelected ? now : 0)
        pendingEvents.removeAll { $0.time < end }
        decoder.forget()
        for number in models.indices { models[number].noteGap(at: end) }
        guard end > decodedUntil else { return }
        missingTime += end - decodedUntil
        addGap(decodedUntil...end)
    }

    /// Resumes recording after a loss, when the buffers are empty.
    func resumeAfterLoss() {
        guard let time = stopTime else { return }
        stopTime = nil
        pendingEvents = []
        probes.instance.record(true)
        decodedUntil = monotonicNanoseconds()
        decoder.forget()
        for number in models.indices { models[number].noteGap(at: decodedUntil) }
        missingTime += decodedUntil - time
        addGap(time...decodedUntil)
    }
}
#endif
