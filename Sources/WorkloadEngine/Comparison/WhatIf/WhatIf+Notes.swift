/// What a reader of the predictions should know.
extension WhatIf {
    /// Whether what interrupts its accesses is simulated as it was.
    ///
    /// Not what ends waits too, as somebody does who interrupts one client alone; nor accesses that
    /// are interrupted more often than not, whose times are those of the few that survive; nor
    /// holds, whose statements are over in no time.
    private func areInterruptsSimulated(of name: String) -> Bool {
        guard let own = load.clients[name], let measured = run.clients[name] else { return false }
        let interrupters = load.clients.values.compactMap(\.interrupts)
        return own.isCutShort != true && own.hold == nil && !interrupters.contains(name)
            && interrupters.contains(RecordedLoad.Client.everybody)
            && measured.interrupted <= measured.completed
    }

    /// What a reader of the predictions should beware of.
    func notes(
        _ fit: [String: WhatIfComparison],
        from predictions: [WhatIfPrediction]
    ) -> [String] {
        var notes: [String] = []
        let simulated = predictions.first { $0.setting == recorded }?.clients ?? [:]
        for (name, own) in fit.sorted(by: { $0.key < $1.key }) where !own.isWithin {
            // Where chance decides, a run like one of those simulated is reproduced.
            if let wait = simulated[name], wait.isMatterOfChance,
                (wait.low...wait.high).contains(own.measured)
            {
                continue
            }
            notes.append(
                "the model does not reproduce \(name)'s wait in the recorded run: what it says of "
                    + "\(name) is of little worth"
            )
        }
        if recorded == .queue {
            notes.append(
                load.isWAL
                    ? "service times are those of the recorded queue, in WAL mode as in a pool"
                    : "service times are those of a rollback journal: a pool's writes, in WAL "
                        + "mode, would be shorter"
            )
        } else {
            notes.append(
                "the queue is one in WAL mode with the pool's 'synchronous': with SQLite's "
                    + "defaults its writes would take longer"
            )
        }
        let names = load.clients.keys.sorted()
        let unmeasured = names.filter { name in
            run.clients[name].map { $0.service != nil && $0.processorMean == nil } ?? false
        }
        if !unmeasured.isEmpty {
            notes.append(
                "the processor time of \(unmeasured.joined(separator: ", ")) was not measured: all "
                    + "of its service is taken for work"
            )
        }
        let disturbed = names.filter { name in
            guard let client = run.clients[name] else { return false }
            let interrupted = areInterruptsSimulated(of: name) ? 0 : client.interrupted
            return interrupted + client.errorCount + client.retried > client.completed / 50
        }
        if !disturbed.isEmpty {
            notes.append(
                "accesses of \(disturbed.joined(separator: ", ")) that were interrupted, failed or "
                    + "were tried again are not simulated"
            )
        }
        if !run.valid || run.partial {
            notes.append("the recorded run was \(run.partial ? "partial" : "invalid")")
        }
        return notes
    }

    /// Which predictions are a matter of chance: the same load gives one wait or twice as much.
    ///
    /// So it is where the percentile lies at a step: about as many accesses as are beyond it wait
    /// for something long, and a few more or less of them decide.
    static func notes(onChanceIn predictions: [WhatIfPrediction]) -> [String] {
        var settings: [String: [WhatIfSetting]] = [:]
        for prediction in predictions {
            for (name, wait) in prediction.clients where wait.isMatterOfChance {
                settings[name, default: []].append(prediction.setting)
            }
        }
        return settings.sorted { $0.key < $1.key }.map { name, settings in
            let titles = WhatIfSetting.titles(of: settings).joined(separator: ", ")
            return "\(name)'s p99 wait in one run is a matter of chance with \(titles): believe "
                + "the range, not the number"
        }
    }
}

extension WhatIfPrediction.Wait {
    /// Whether one simulation waits for twice as long as another, and for a millisecond more.
    fileprivate var isMatterOfChance: Bool { high > 2 * low && high - low > 1_000_000 }
}
