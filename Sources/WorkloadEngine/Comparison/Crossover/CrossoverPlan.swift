/// The cells, the metric, and the duration of a crossover map.
package struct CrossoverPlan: Sendable {
    /// A combination of one value from each sweep.
    struct Cell: Sendable {
        /// The index of the value in each sweep.
        var indices: [Int]
        /// The scenario with the values and the two arms.
        var scenario: Scenario
        /// The `poolgauge run` options with the same effect.
        var options: [String]
    }

    /// The cells, with the first sweep's values changing fastest.
    let cells: [Cell]
    /// The compared metric.
    package let metric: CrossoverMetric
    /// The reason that the metric differs from the requested or default metric, if any.
    package let metricNote: String?
    /// The length of each run's measured part.
    package let duration: Duration
    /// The number of runs.
    package let runs: Int
    /// The approximate total time.
    package let time: Duration
    /// The number of pairs in each block that compare the baseline arm with itself.
    let noisePairs: Int

    /// The number of cells.
    package var cellCount: Int { cells.count }

    /// Creates a plan for runs that each take `overhead` seconds in addition to their phases.
    ///
    /// - Throws: ``RunError`` or ``ScenarioError`` if the arms, sweeps, or times do not fit the
    ///   scenario. The message contains valid values.
    init(
        _ scenario: Scenario,
        _ options: CrossoverOptions,
        overhead: Double = TrialRunner.guess
    ) throws {
        let arms = [options.a, options.b].compactMap { name in
            scenario.arms.first { $0.name == name }
        }
        guard arms.count == 2, options.a != options.b else {
            throw RunError(
                .scenario,
                "specify two different arms of \(scenario.name) with --arms: "
                    + scenario.arms.map(\.name).joined(separator: ", ")
            )
        }
        try Self.check(options.sweeps)
        let count = options.sweeps.reduce(1) { $0 * $1.values.count }
        guard count <= CrossoverOptions.maximumCellCount else {
            throw RunError(
                .scenario,
                "\(count) cells exceed the maximum of \(CrossoverOptions.maximumCellCount); sweep "
                    + "fewer values"
            )
        }
        var base = scenario
        base.arms = arms
        let requested = try options.metric ?? CrossoverMetric(defaultOf: scenario)
        let cells = try Self.cells(of: base, options.sweeps)
        noisePairs = min(2, cells.count)
        runs = options.blocks * (cells.count + noisePairs) * 2
        let duration = try Self.duration(for: runs, scenario, options, overhead)
        self.duration = duration
        time = .seconds(Double(runs) * Self.seconds(duration, scenario, overhead))
        let runCount = runs
        let scaled = try cells.map { cell in
            var cell = cell
            do {
                cell.scenario = try cell.scenario.scaled(toMeasured: duration)
            } catch {
                throw Self.tooShort(duration, cell.scenario, error, runCount, options, overhead)
            }
            return cell
        }
        self.cells = scaled
        let samples = scaled.compactMap { $0.scenario.expectedSamples(of: requested.client) }.min()
        metric = samples.map { requested.measurable(with: $0) } ?? requested
        metricNote =
            metric == requested
            ? nil
            : "\(metric.name) instead of \(requested.name), because runs of "
                + "\(duration.lengthText) have too few accesses; to compare \(requested.name), "
                + "specify a longer --duration"
    }

    private static func check(_ sweeps: [Sweep]) throws(RunError) {
        guard (1...3).contains(sweeps.count) else {
            throw RunError(
                .scenario,
                sweeps.isEmpty
                    ? "specify one to three sweeps, such as --sweep readers=1,2,4,8"
                    : "a map has at most three sweeps, not \(sweeps.count)"
            )
        }
        let names = sweeps.map(\.variable)
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            throw RunError(
                .scenario,
                "\(name.name) is swept twice; list all its values in one sweep"
            )
        }
    }

    private static func cells(of scenario: Scenario, _ sweeps: [Sweep]) throws -> [Cell] {
        var cells = [Cell(indices: [], scenario: scenario, options: [])]
        for sweep in sweeps.reversed() {
            cells = cells.flatMap { cell in
                sweep.values.indices.map { index in
                    Cell(indices: [index] + cell.indices, scenario: scenario, options: [])
                }
            }
        }
        return try cells.map { cell in
            var cell = cell
            for (sweep, index) in zip(sweeps, cell.indices) {
                let changed = try cell.scenario.with(sweep.variable, sweep.values[index])
                cell.scenario = changed.scenario
                // Two sweeps can set the same value, such as a rate. The last sweep takes
                // precedence.
                let keys = changed.options.map(\.settingKey)
                cell.options.removeAll { keys.contains($0.settingKey) }
                cell.options += changed.options
            }
            return cell
        }
    }

    // MARK: Time

    /// Returns the total time of a run with the given measured part, in seconds.
    private static func seconds(
        _ duration: Duration,
        _ scenario: Scenario,
        _ overhead: Double
    ) -> Double {
        duration.inSeconds * (1 + unmeasuredTimeRatio(scenario)) + overhead
    }

    /// Returns the ratio of the time outside the measured part to the time inside it.
    private static func unmeasuredTimeRatio(_ scenario: Scenario) -> Double {
        let all = scenario.phases.reduce(Duration.zero) { $0 + $1.duration }
        return max(0, all / scenario.measuredDuration - 1)
    }

    private static func duration(
        for runs: Int,
        _ scenario: Scenario,
        _ options: CrossoverOptions,
        _ overhead: Double
    ) throws(RunError) -> Duration {
        let limit = options.timeLimit.inSeconds
        if let duration = options.duration {
            let needed = Double(runs) * seconds(duration, scenario, overhead)
            guard needed <= limit else {
                throw tooLong(needed, runs, options, "a shorter --duration, ")
            }
            return duration
        }
        let runSeconds = limit * 0.95 / Double(runs) - overhead
        let measured = runSeconds / (1 + unmeasuredTimeRatio(scenario))
        guard measured >= CrossoverOptions.shortest else {
            let shortest = Duration.seconds(CrossoverOptions.shortest)
            throw tooLong(
                Double(runs) * seconds(shortest, scenario, overhead) / 0.95,
                runs,
                options,
                ""
            )
        }
        let chosen = min(measured, CrossoverOptions.longest)
        return .milliseconds(Int((chosen * 20).rounded(.down)) * 50)
    }

    private static func tooShort(
        _ duration: Duration,
        _ scenario: Scenario,
        _ error: any Error,
        _ runs: Int,
        _ options: CrossoverOptions,
        _ overhead: Double
    ) -> any Error {
        var fitting = Int(duration.inSeconds.rounded(.up))
        while (try? scenario.scaled(toMeasured: .seconds(fitting))) == nil {
            fitting += 1
            // If even an hour is too short, the error has another cause.
            guard fitting <= 3_600 else { return error }
        }
        let needed = Double(runs) * seconds(.seconds(fitting), scenario, overhead) / 0.9
        let minutes = max(Int((needed / 60).rounded(.up)), Int(options.timeLimit.inSeconds / 60))
        return RunError(
            .scenario,
            "\(error); runs of \(ReportUnits.seconds(duration.inSeconds)) are too short for "
                + "this scenario; use --duration \(fitting)s --within \(minutes)m, or specify the "
                + "time as a percentage"
        )
    }

    private static func tooLong(
        _ needed: Double,
        _ runs: Int,
        _ options: CrossoverOptions,
        _ advice: String
    ) -> RunError {
        RunError(
            .scenario,
            "\(runs) runs take \(Int(needed.rounded(.up))) s, but --within allows only "
                + "\(Int(options.timeLimit.inSeconds)) s; choose \(advice)fewer values, fewer "
                + "--blocks, or --within \(Int((needed / 60).rounded(.up)))m"
        )
    }
}

extension String {
    fileprivate var settingKey: Substring { prefix { $0 != "=" && !$0.isNumber } }
}

extension Scenario {
    /// Returns the approximate number of a client's accesses in the measured part, if the number is
    /// predictable.
    fileprivate func expectedSamples(of name: String) -> Double? {
        guard let client = clients.first(where: { $0.name == name }),
            case .open(let arrival) = client.pace
        else { return nil }
        return arrival.meanRate(in: measuredDuration) * measuredDuration.inSeconds
    }
}

extension Duration {
    /// The length of a run, such as `250 ms` or `2 s`.
    package var lengthText: String {
        let milliseconds =
            components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds.isMultiple(of: 1_000)
            ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }
}
