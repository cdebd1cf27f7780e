import Text

/// The division of a time limit among the runs of a sweep.
package struct SweepSchedule: Sendable, Equatable {
    /// The number of blocks.
    package let blocks: Int
    /// The length of each run's measured part.
    package let duration: Duration
    /// The number of runs.
    package let runs: Int
    /// The approximate total time.
    package let time: Duration

    /// The minimum number of blocks unless the user specifies another number.
    private static let usualBlocks = 8
    private static let shortest = Duration.milliseconds(250)
    private static let longest = Duration.seconds(3)
    private static let step = Duration.milliseconds(50)
    /// The planned share of the time.
    ///
    /// The rest is a reserve for delays caused by other work on the machine.
    private static let plannedShare = 0.9

    /// Divides the time.
    ///
    /// - Parameters:
    ///   - limit: The time for all runs.
    ///   - scenario: The scenario.
    ///   - slots: The number of runs in each block.
    ///   - tests: The number of tests for Holm's correction.
    ///   - blocks: The number of blocks, or `nil` for one more than the tests require.
    ///   - duration: The length of each run's measured part, or `nil` for as long as possible.
    ///   - overhead: The time that a run takes in addition to its phases, in seconds.
    /// - Throws: ``RunError`` if the time is too short, or ``ScenarioError`` if a time in the
    ///   scenario exceeds the length of a run. The message states a sufficient limit.
    init(
        of limit: Duration,
        for scenario: Scenario,
        slots: Int,
        tests: Int,
        blocks: Int?,
        duration: Duration?,
        overhead: Double
    ) throws {
        let blocks = blocks ?? max(Self.usualBlocks, BlockCount.minimum(tests: tests) + 1)
        let runs = slots * blocks
        func total(_ measured: Duration) throws -> Double {
            let phases = try scenario.scaled(toBlock: measured).phases
            let length = phases.reduce(Duration.zero) { $0 + $1.duration }.inSeconds
            return Double(runs) * (length + overhead)
        }
        let usable = limit.inSeconds * Self.plannedShare
        var measured = duration ?? Self.longest
        var needed = 0.0
        var problem = ""
        repeat {
            let seconds: Double
            do { seconds = try total(measured) } catch {
                guard needed > 0 else {
                    throw RunError(
                        .scenario,
                        "\(error); runs of \(measured.lengthText) are too short for this scenario, so "
                            + "specify a longer --duration, or the time as a percentage"
                    )
                }
                problem = " (\(error))"
                break
            }
            if seconds <= usable {
                self.blocks = blocks
                self.duration = measured
                self.runs = runs
                time = .seconds(seconds)
                return
            }
            needed = seconds
            measured -= Self.step
        } while duration == nil && measured >= Self.shortest
        // Before the first run, the overhead is unknown. Allow a tenth more, because it varies.
        let unknown = Double(runs) * max(0, TrialRunner.guess - overhead)
        let minutes = (needed + unknown) * 1.1 / Self.plannedShare / 60
        throw RunError(
            .scenario,
            "\(runs) runs (\(HumanUnits.counted(slots, "run")) in each of \(blocks) blocks) take at "
                + "least \(Int(needed.rounded(.up))) s, but --within leaves only "
                + "\(Int(usable)) s; choose "
                + (duration == nil ? "" : "a shorter --duration, ")
                + "fewer values, or --within \(Int(minutes.rounded(.up)))m\(problem)"
        )
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
