extension WhatIf {
    /// Compares the recorded waits with new runs in the recorded setting.
    ///
    /// - Parameters:
    ///   - runs: The new runs.
    ///   - prediction: The prediction for the setting. If the predicted wait varies by chance,
    ///     different waits do not indicate a change in the machine.
    /// - Returns: The recorded and new waits of each client.
    func repetition(
        _ runs: [ArmResult],
        beside prediction: WhatIfPrediction?
    ) -> WhatIfRepetition {
        let problems = [
            run.partial ? "the recorded run was stopped early" : nil,
            run.valid ? nil : "the recorded run was invalid",
            run.failures.map { "the recorded run failed: \($0.joined(separator: "; "))" },
            Self.problem(of: runs),
        ].compactMap { $0 }
        var clients: [String: WhatIfRepetition.Client] = [:]
        for (name, own) in run.clients {
            guard let then = own.wait?.p99,
                let change = WhatIfComparison(
                    predicted: then,
                    measured: runs.compactMap { $0.clients[name] }
                )
            else { continue }
            var verdict = Self.verdict(on: change, beside: prediction?.clients[name])
            if verdict == .changed, !problems.isEmpty { verdict = .inconclusive }
            clients[name] = WhatIfRepetition.Client(
                recorded: then,
                now: change.measured,
                least: change.least,
                most: change.most,
                verdict: verdict
            )
        }
        return WhatIfRepetition(
            runs: runs.count,
            clients: clients,
            problem: problems.isEmpty ? nil : problems.joined(separator: "; ")
        )
    }

    /// Compares a recorded wait with new waits.
    ///
    /// The verdict allows for chance, because there are only one recorded run and a few new runs.
    /// The verdict is inconclusive if the distance between the recorded wait and the range of the
    /// new waits is at most the width of that range or of the simulated range.
    private static func verdict(
        on change: WhatIfComparison,
        beside wait: WhatIfPrediction.Wait?
    ) -> WhatIfRepetition.Verdict {
        if change.isWithin { return .same }
        let least = change.least ?? change.measured
        let most = change.most ?? change.measured
        let then = change.predicted
        let distance = then < least ? least - then : then > most ? then - most : 0
        let simulated = wait.map { $0.high - $0.low } ?? 0
        return distance <= max(most - least, simulated) ? .inconclusive : .changed
    }

    /// Returns a note on the differences between the machines of the checks and the recorded run,
    /// if any.
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
            compare(ReportUnits.time(one), ReportUnits.time(two), "a sync: ")
        }
        guard !differences.isEmpty else { return [] }
        return [
            "the checks ran under different conditions than the recorded run "
                + "(\(differences.joined(separator: ", "))), which may explain wrong predictions"
        ]
    }

    /// The factor by which two medians of five syncs on the same disk usually differ at most (an
    /// estimate).
    private static let syncFactor: UInt64 = 5
}
