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
    /// Reads the events since the last call.
    ///
    /// - Returns: The executions on watched databases, ordered by end time.
    @discardableResult
    public func poll() -> [StatementExecution] {
        var until = monotonicNanoseconds()
        var executions: [StatementExecution] = []
        // Busy programs can fill the buffers within a tenth of a second. Decode each batch before
        // reading the next so that timing windows close on time.
        while decodedUntil < until {
            let end = read(until: until)
            executions += decodeEvents(until: end)
            adjustTracing()
            // After a loss, decode all events that precede the end of recording.
            until = max(until, stopTime ?? until)
        }
        resumeAfterLoss()
        surveyProcesses()
        return executions
    }

    /// Reads a batch of events.
    ///
    /// - Returns: The time, at most `until`, before which all events have been read.
    private func read(until: UInt64) -> UInt64 {
        let batch = readBatch()
        if let loss = batch.loss { handle(loss, until: until) }
        return min(until, batch.completeUntil ?? until)
    }

    /// Reads a batch of events without handling a loss.
    ///
    /// - Returns: The loss, if any, and, if more events are available, the time until which the
    ///   events are complete.
    private func readBatch() -> (loss: EventLoss?, completeUntil: UInt64?) {
        let batch = probes.instance.read()
        eventCount += UInt64(batch.records.count)
        let events = batch.records.compactMap { probes.decoder.event($0) }
        windowEventCount += events.count { $0.kind.isStep }
        pendingEvents += events
        let isSelectedLoss = selectedEvents.map { readSelected($0) } ?? false
        let hasLoss = isSelectedLoss || batch.lossEnd != nil
        let loss = hasLoss ? EventLoss(end: batch.lossEnd, isSelected: isSelectedLoss) : nil
        return (loss, batch.completeUntil)
    }

    /// Reads the events of selected processes, and returns whether events were lost.
    private func readSelected(_ events: PerfEvents) -> Bool {
        let lostCount = events.lostCount
        let records = events.read()
        eventCount += UInt64(records.count)
        pendingEvents += records.compactMap { probes.decoder.event($0) }
        return events.lostCount > lostCount
    }

    private func decodeEvents(until end: UInt64) -> [StatementExecution] {
        // Events after `end` wait for the next batch, because earlier events on other processors
        // may not be readable yet.
        pendingEvents.sort { $0.time < $1.time }
        let count = pendingEvents.firstIndex { $0.time > end } ?? pendingEvents.endIndex
        let batch = Array(pendingEvents[..<count])
        pendingEvents.removeFirst(count)
        for event in batch {
            switch event.kind {
            case .newProgram:
                survey.scheduleSurvey(of: event.thread, at: end)
                files.noteRoot(of: event.thread)
            case .newThread(let process, isProcess: true):
                files.noteStart(of: process, by: event.thread)
            default: break
            }
            let cost = event.kind.cost(probes.cost)
            if event.kind.isStep {
                lostStepTimes[event.thread, default: 0] += cost
            } else {
                lostTimes[event.thread, default: 0] += cost
            }
        }
        var loss: EventLoss?
        if decoder.prepare(batch, at: monotonicNanoseconds) { loss = readVerifyingEvents() }
        let output = decoder.decode(batch, followedBy: pendingEvents)
        var executions: [StatementExecution] = []
        for output in output {
            switch output {
            case .execution(let execution, let database):
                models[database].add(execution)
                executions.append(execution)
            case .closed(let process, let connection, let time):
                let key = ConnectionKey(process: process, connection: connection)
                for database in models.indices { models[database].end(key, at: time) }
            case .ended(let process, let time):
                for database in models.indices { models[database].end(process: process, at: time) }
            }
        }
        decodedUntil = max(decodedUntil, end)
        // The batch is older than the loss.
        if let loss { handle(loss, until: monotonicNanoseconds()) }
        return executions
    }

    /// The maximum number of times to read events after reading texts from memory.
    private static let verifyingReadLimit = 4

    /// Reads the events that occurred before the texts were read from memory.
    ///
    /// - Returns: The loss of events, if any.
    private func readVerifyingEvents() -> EventLoss? {
        let now = monotonicNanoseconds()
        defer { pendingEvents.sort { $0.time < $1.time } }
        for _ in 0..<Self.verifyingReadLimit {
            let batch = readBatch()
            if let loss = batch.loss {
                decoder.texts?.discardMemoryTexts()
                return loss
            }
            if batch.completeUntil ?? now >= now { break }
        }
        return nil
    }

    // MARK: Losses

    /// Discards the events and the state from before the end of a loss.
    ///
    /// - Parameters:
    ///   - loss: The loss.
    ///   - selectedLossEnd: The end of a loss in the buffers of selected processes.
    func handle(_ loss: EventLoss, until selectedLossEnd: UInt64) {
        // Stop recording until the buffers are empty. Otherwise, every batch would have a loss
        // while programs outpace the decoder, and no period would be complete.
        if loss.end != nil, stopTime == nil {
            probes.instance.setRecording(false)
            stopTime = monotonicNanoseconds()
        }
        let end = max(loss.end ?? 0, loss.isSelected ? selectedLossEnd : 0)
        pendingEvents.removeAll { $0.time < end }
        decoder.forget()
        for number in models.indices { models[number].noteGap(at: end) }
        guard end > decodedUntil else { return }
        missingTime += end - decodedUntil
        addGap(decodedUntil...end)
    }

    /// Resumes recording after a loss, once the buffers are empty.
    func resumeAfterLoss() {
        guard let time = stopTime else { return }
        stopTime = nil
        pendingEvents = []
        probes.instance.setRecording(true)
        decodedUntil = monotonicNanoseconds()
        decoder.forget()
        for number in models.indices { models[number].noteGap(at: decodedUntil) }
        missingTime += decodedUntil - time
        addGap(time...decodedUntil)
    }
}
#endif
