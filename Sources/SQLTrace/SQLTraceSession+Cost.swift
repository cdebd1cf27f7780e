#if os(Linux)
import Telemetry

extension SQLTraceSession {
    /// Opens and closes timing windows, and pauses tracing if programs lose too much time.
    func adjustTracing() {
        let now = monotonicNanoseconds()
        let decision = limiter.decision(at: now) { elapsed in
            // Programs also lose time to events that were not recorded.
            let recorded = Double(elapsed - min(elapsed / 10 * 9, missingTime))
            let scale = Double(elapsed) / max(1, recorded)
            defer {
                lostTimes = [:]
                missingTime = 0
            }
            guard elapsed > 0 else {
                lostShares.restart()
                return 0
            }
            guard options.level == .full else {
                return lostShares.largest(of: lostTimes.mapValues { $0 * scale }, in: elapsed)
            }
            defer { lostStepTimes = [:] }
            let lost = lostTimes.merging(lostStepTimes, uniquingKeysWith: +)
            return lostShares.largest(of: lost, in: elapsed)
        }
        // At the full level, the user has chosen the processes, so the cost is only reported.
        if let decision, options.level != .full {
            if decision, limiter.share > costliestProcess?.share ?? 0 {
                let process = lostShares.busiest.flatMap { ProcMemory().process(ofThread: $0) }
                costliestProcess = (process, limiter.share)
            }
            setPaused(decision)
        }
        guard options.level == .timed, !limiter.isPaused else { return }
        switch windows.action(at: now, events: windowEventCount, isTiming: decoder.isTiming) {
        case .open:
            windowEventCount = 0
            probes.setRecordsSteps(true)
            // From this time on, all steps are recorded.
            decoder.window = monotonicNanoseconds()...(.max)
        case .drain:
            if let start = decoder.window?.lowerBound { decoder.window = start...max(start, now) }
        case .close:
            probes.setRecordsSteps(false)
            decoder.endTiming()
            limitWindows(at: now)
        case nil: break
        }
    }

    /// Adjusts the windows' share of time to keep the time that threads lose to step events within
    /// the limit.
    private func limitWindows(at now: UInt64) {
        stepShare = lostStepShares.largest(of: lostStepTimes, in: now - lastWindowEnd)
        lostStepTimes = [:]
        lastWindowEnd = now
        guard stepShare > 0, options.shareLimit > 0 else { return }
        windows.share = min(1, windows.share * min(2, options.shareLimit / stepShare))
    }
}
#endif
