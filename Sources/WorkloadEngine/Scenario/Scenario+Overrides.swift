import YAML
import Yams

extension Scenario {
    /// Scales the phases to a measured time.
    ///
    /// Phases that are not measured become shorter by the same factor, but never longer. Times in
    /// percent scale automatically.
    ///
    /// - Throws: ``ScenarioError`` if an absolute time no longer fits, with the time's position
    ///   in the file.
    public func scaled(toMeasured duration: Duration) throws(ScenarioError) -> Scenario {
        guard duration > .zero, let lastMeasured = phases.lastIndex(where: \.isMeasured) else {
            throw ScenarioError(issues: [
                .init(file: file, message: "the duration must be longer than 0")
            ])
        }
        let factor = duration / measuredDuration
        var scaled = self
        var remaining = duration
        for index in phases.indices {
            let current = phases[index].duration
            guard phases[index].isMeasured else {
                scaled.phases[index].duration = min(current, current * factor)
                continue
            }
            // Compensate for rounding in the last measured phase so that the sum is exact.
            let length = index == lastMeasured ? remaining : current * factor
            scaled.phases[index].duration = length
            remaining -= length
        }
        let log = YAMLLog(file: file)
        for client in clients {
            MeasuredTimeCheck(measured: duration).check(client) { key, problem in
                log.add(
                    "'\(key)' of client '\(client.name)' \(problem)",
                    at: mark(of: key, ofClient: client.name)
                )
            }
        }
        try log.throwIfAny()
        return scaled
    }

    /// Returns the scenario with a different dataset scale.
    ///
    /// The ranges of the dataset's variables change accordingly, as do ranges that other
    /// variables inherit.
    ///
    /// - Throws: ``ScenarioError`` if the scale is invalid or the dataset has no scale.
    public func with(scale: Int) throws(ScenarioError) -> Scenario {
        guard let scales = dataset.scales else {
            throw ScenarioError(issues: [
                .init(
                    file: file,
                    message: "this dataset has no scale, because it has no generated rows"
                )
            ])
        }
        guard scales.contains(scale) else {
            let message = "the scale must be from 1 to \(scales.upperBound), not \(scale)"
            throw ScenarioError(issues: [.init(file: file, message: message)])
        }
        var changed = self
        changed.dataset = dataset.with(scale: scale)
        let builtIns = changed.dataset.variables
        for (name, source) in inheritedRanges {
            guard let range = source.range(among: builtIns) else { continue }
            changed.variables[name]?.minimum = range.lowerBound
            changed.variables[name]?.maximum = range.upperBound
        }
        return changed
    }

    /// Returns the scenario with a different seed.
    public func with(seed: UInt64) -> Scenario {
        var changed = self
        changed.seed = seed
        return changed
    }

    /// Returns the scenario with the given number of readers in each pool.
    ///
    /// - Throws: ``ScenarioError`` if the number is not in 1…1000.
    public func with(readers: Int) throws(ScenarioError) -> Scenario {
        guard (1...1000).contains(readers) else {
            throw ScenarioError(issues: [
                .init(
                    file: file,
                    message: "the number of readers must be from 1 to 1000, not \(readers)"
                )
            ])
        }
        var changed = self
        for index in arms.indices where arms[index].kind == .pool {
            changed.arms[index].readers = readers
        }
        return changed
    }

    private func mark(of key: String, ofClient client: String) -> Mark? {
        guard case .root(let root) = YAMLLog(file: file).document(source),
            let clients = root.mapping?.first(where: { $0.key.scalar?.string == "clients" }),
            let entry = clients.value.mapping?.first(where: { $0.key.scalar?.string == client })
        else { return nil }
        return entry.value.mapping?.first { $0.key.scalar?.string == key }?.value.mark
    }
}
