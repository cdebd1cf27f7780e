extension WhatIf {
    /// Holds real runs of the recorded setting against what was recorded.
    ///
    /// - Parameters:
    ///   - runs: The runs of now.
    ///   - prediction: What the model says of the setting: where one run's wait is a matter of
    ///     chance, two of them say nothing of the machine.
    /// - Returns: Each client's wait as it was and as it is.
    func repetition(
        _ runs: [ArmResult],
        beside prediction: WhatIfPrediction?
    ) -> WhatIfRepetition {
        var clients: [String: WhatIfRepetition.Client] = [:]
        for (name, own) in run.clients {
            guard let then = own.wait?.p99,
                let change = WhatIfComparison(
                    predicted: then,
                    measured: runs.compactMap { $0.clients[name] }
                )
            else { continue }
            clients[name] = WhatIfRepetition.Client(
                recorded: then,
                now: change.measured,
                least: change.least,
                most: change.most,
                verdict: Self.verdict(on: change, beside: prediction?.clients[name])
            )
        }
        let problems = [
            run.partial ? "the recorded run was stopped before its end" : nil,
            run.valid ? nil : "the recorded run was invalid",
            Self.problem(of: runs),
        ]
        let told = problems.compactMap { $0 }
        return WhatIfRepetition(
            runs: runs.count,
            clients: clients,
            problem: told.isEmpty ? nil : told.joined(separator: "; ")
        )
    }

    /// What a recorded wait, in the place of a prediction, and those of now say.
    private static func verdict(
        on change: WhatIfComparison,
        beside wait: WhatIfPrediction.Wait?
    ) -> WhatIfRepetition.Verdict {
        if change.isWithin { return .same }
        if wait?.isMatterOfChance == true { return .inconclusive }
        if let least = change.least, let most = change.most,
            (least...most).contains(change.predicted)
        {
            return .inconclusive
        }
        return .changed
    }

    /// What is another where the checks ran than where the run was recorded.
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
            compare(HumanUnits.time(one), HumanUnits.time(two), "a sync: ")
        }
        guard !differences.isEmpty else { return [] }
        return [
            "the checks ran elsewhere than the recorded run (\(differences.joined(separator: ", "))): "
                + "where one is off, that may be why"
        ]
    }

    /// Five syncs of one disk differ by less from five others.
    private static let syncFactor: UInt64 = 5
}
