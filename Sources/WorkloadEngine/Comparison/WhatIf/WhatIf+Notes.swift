extension WhatIf {
    /// Returns whether the simulation reproduces the interrupts of a client's accesses.
    ///
    /// The simulation does not reproduce:
    ///
    /// * interrupts of a single client, because these interrupts also end waits
    /// * interrupts of holds, because the statements of holds end immediately
    /// * interrupts that are so frequent that only short accesses complete
    private func areInterruptsSimulated(of name: String) -> Bool {
        guard let recorded = load.clients[name], let measured = run.clients[name] else {
            return false
        }
        let interrupters = load.clients.values.compactMap(\.interrupts)
        return recorded.isCutShort != true && recorded.hold == nil && !interrupters.contains(name)
            && interrupters.contains(RecordedLoad.Client.allClients)
            && measured.interrupted <= measured.completed
    }

    func notes(
        _ fit: [String: WhatIfComparison],
        from predictions: [WhatIfPrediction]
    ) -> [String] {
        var notes: [String] = []
        let simulated = predictions.first { $0.setting == recorded }?.clients ?? [:]
        for (name, comparison) in fit.sorted(by: { $0.key < $1.key })
        where !comparison.isWithinTolerance {
            // If the wait varies by chance, a recorded wait within the simulated range counts as
            // reproduced.
            if let wait = simulated[name], wait.variesByChance,
                (wait.low...wait.high).contains(comparison.measured)
            {
                continue
            }
            notes.append(
                "the model does not reproduce \(name)'s wait in the recorded run; its predictions "
                    + "for \(name) are unreliable"
            )
        }
        if recorded == .queue {
            notes.append(
                load.isWAL
                    ? "the service times are from the recorded queue, which uses WAL mode, as a pool "
                        + "does"
                    : "the service times were measured with a rollback journal; a pool's writes, "
                        + "in WAL mode, would be shorter"
            )
        } else {
            notes.append(
                "the queue is assumed to use WAL mode and the pool's 'synchronous' setting; with "
                    + "SQLite's defaults, the queue's writes would take longer"
            )
        }
        let names = load.clients.keys.sorted()
        let unmeasured = names.filter { name in
            run.clients[name].map { $0.service != nil && $0.processorMean == nil } ?? false
        }
        if !unmeasured.isEmpty {
            notes.append(
                "the processor time of \(unmeasured.joined(separator: ", ")) was not measured, so "
                    + "the model assumes that the whole service time is processor time"
            )
        }
        let disturbed = names.filter { name in
            guard let client = run.clients[name] else { return false }
            let interrupted = areInterruptsSimulated(of: name) ? 0 : client.interrupted
            return interrupted + client.errorCount + client.retried > client.completed / 50
        }
        if !disturbed.isEmpty {
            notes.append(
                "interrupted, failed, or retried accesses of \(disturbed.joined(separator: ", ")) "
                    + "are not simulated"
            )
        }
        if !run.valid || run.partial {
            notes.append("the recorded run was \(run.partial ? "partial" : "invalid")")
        }
        return notes
    }

    /// Returns notes about predictions that vary by chance.
    ///
    /// A prediction varies if the number of accesses with a long wait is close to the number of
    /// accesses above the percentile. A few accesses then determine whether the percentile is a
    /// long wait.
    static func notes(onChanceIn predictions: [WhatIfPrediction]) -> [String] {
        var settings: [String: [WhatIfSetting]] = [:]
        for prediction in predictions {
            for (name, wait) in prediction.clients where wait.variesByChance {
                settings[name, default: []].append(prediction.setting)
            }
        }
        return settings.sorted { $0.key < $1.key }.map { name, settings in
            let titles = WhatIfSetting.titles(of: settings).joined(separator: ", ")
            return "with \(titles), \(name)'s p99 wait varies by chance from run to run; rely on "
                + "the range, not on the number"
        }
    }

    /// Returns a note on the differences between the machine that ran the checks and the machine
    /// that recorded the run, if any.
    func notes(onMachine now: HostEnvironment) -> [String] {
        let then = result.environment
        var differences: [String] = []
        func compare(_ one: String?, _ two: String?, _ what: String = "") {
            guard let one, let two, one != two else { return }
            differences.append("\(what)\(two) instead of \(one)")
        }
        compare("\(then.cpuCount)", "\(now.cpuCount)", "processors: ")
        compare(then.architecture, now.architecture)
        compare(then.operatingSystem, now.operatingSystem)
        compare(then.fileSystem, now.fileSystem, "file system: ")
        for name in then.versions.keys.sorted() {
            compare(then.versions[name], now.versions[name], "\(name): ")
        }
        if let one = then.syncNanoseconds, let two = now.syncNanoseconds,
            max(one, two) > Self.syncFactor * min(one, two)
        {
            compare(ReportUnits.time(one), ReportUnits.time(two), "sync time: ")
        }
        guard !differences.isEmpty else { return [] }
        return [
            "the checks ran under different conditions than the recorded run "
                + "(\(differences.joined(separator: ", "))), which may explain wrong predictions"
        ]
    }

    /// The maximum factor by which two medians of five syncs on one disk usually differ (an
    /// estimate).
    private static let syncFactor: UInt64 = 5
}

extension WhatIfPrediction.Wait {
    /// Whether the waits of individual simulations differ by a factor of more than two and by more
    /// than a millisecond.
    fileprivate var variesByChance: Bool { high > 2 * low && high - low > 1_000_000 }
}
