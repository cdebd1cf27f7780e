#if os(Linux)
import Telemetry

extension SQLTraceSession {
    /// Discards events and state from before the end of a loss.
    func forgetEvents(before end: UInt64) {
        losses += 1
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
