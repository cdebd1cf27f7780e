import SecondProcess

extension Alternation where Value == CommitTimes {
    /// The cost of commits in one setting.
    ///
    /// Each time is the minimum of all rounds, because other work on the machine can only increase
    /// it. The log size is the mean.
    private struct Cost: CustomStringConvertible {
        var microseconds: Double
        var maintenanceMicroseconds: Double
        var blockedShare: Double
        var logMegabytes: Double

        init(_ rounds: [CommitTimes]) {
            microseconds = (rounds.map(\.mean).min() ?? 0) / 1e3
            maintenanceMicroseconds =
                (rounds.map { Double($0.maintenanceNanoseconds) }.min() ?? 0) / 1e3
                / Double(max(1, rounds.first?.maintenanceCount ?? 1))
            let count = rounds.reduce(0) { $0 + $1.maintenanceCount }
            let blocked = rounds.reduce(0) { $0 + $1.blockedMaintenanceCount }
            blockedShare = Double(blocked) / Double(max(1, count))
            let bytes = rounds.reduce(0) { $0 + $1.largestLogBytes }
            logMegabytes = Double(bytes) / Double(max(1, rounds.count)) / 1e6
        }

        var description: String {
            """
            a commit \(Int(microseconds)) µs, a log of \(Int(logMegabytes)) MB, \
            maintenance \(Int(maintenanceMicroseconds)) µs, \
            \(Int(blockedShare * 100))% of it blocked
            """
        }
    }

    /// A description of how keeping read transactions exceeds the limits, or `nil` if it does not.
    ///
    /// The limits are two or three times the cost without keeping, plus an allowance for small
    /// values. They therefore hold on a busy machine. The benchmark `SecondProcess` measures the
    /// exact ratios.
    var excess: String? {
        let (keepingCost, renewingCost) = (Cost(keeping), Cost(renewing))
        let isWithin =
            keepingCost.microseconds <= 2 * renewingCost.microseconds + 20
            && keepingCost.logMegabytes <= 2 * renewingCost.logMegabytes + 4
            && keepingCost.maintenanceMicroseconds <= 3 * renewingCost.maintenanceMicroseconds
                + 5_000
            && keepingCost.blockedShare <= renewingCost.blockedShare + 0.35
        return isWithin ? nil : "keeping: \(keepingCost); renewing: \(renewingCost)"
    }
}

/// Repeats a comparison up to three times on a separate thread.
///
/// Other work on the machine can disturb the comparison.
///
/// - Returns: The excess of each attempt, or `nil` if one attempt stays within the limits.
func repeatedExcess(
    _ measure: @escaping @Sendable () throws -> Alternation<CommitTimes>
) async throws -> String? {
    try await runOnNewThread {
        var excesses: [String] = []
        for _ in 0..<3 {
            guard let excess = try measure().excess else { return nil }
            excesses.append(excess)
        }
        return excesses.joined(separator: "\n")
    }
}
