/// How advice is searched.
public struct AdviceOptions: Sendable {
    /// The arm that the candidates change; nil for `present`, or the first arm.
    public var arm: String?
    /// The time after which it ends with what is known.
    public var within: Duration = .seconds(300)
    /// Makes, for an open database, a function from a statement with the lines of its plan to the
    /// statements that create indexes for it.
    public var indexes: @Sendable (any WorkloadTarget) throws -> IndexProposals = { _ in
        { _, _ in [] }
    }

    /// From a statement, with the lines of `EXPLAIN QUERY PLAN`, to `CREATE INDEX` statements.
    public typealias IndexProposals = (_ sql: String, _ plan: [String]) -> [String]
    /// How each run is carried out.
    public var run = RunOptions()
    /// The versions of what takes part, for the result's environment.
    public var versions: [String: String] = [:]
    /// Called with a line that states what comes next.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: five minutes.
    public init() {}
}

/// How the time of a search is spent.
struct AdviceSchedule: Equatable {
    /// The measured part of the run of the present arm.
    static func baseline(within limit: Double) -> Double { min(max(limit * 0.06, 0.7), 5) }

    /// How often each candidate runs in the screening, and how long.
    static func screening(
        candidates: Int,
        within limit: Double,
        overhead: Double
    ) -> (rounds: Int, seconds: Double) {
        let each = limit * 0.35 / Double(candidates + 1)
        // A warm-up takes half as long as the measured part.
        func seconds(_ rounds: Int) -> Double { (each / Double(rounds) - overhead) / 1.5 }
        for rounds in [3, 2] where seconds(rounds) >= 0.8 {
            return (rounds, min(seconds(rounds), 3))
        }
        return (1, min(max(seconds(1), 0.3), 3))
    }

    /// The fewest seconds of a run that confirms.
    private static let leastSeconds = 0.3

    /// How many candidates are confirmed, with how many blocks of which length; nil where the time
    /// is too short for one candidate.
    ///
    /// - Parameters:
    ///   - candidates: How many there are.
    ///   - tests: The tests of so many candidates, for Holm's correction.
    ///   - left: The seconds that are left.
    ///   - overhead: What a run takes beside its phases, in seconds.
    /// - Returns: The candidates, the blocks, and the seconds of each run's measured part.
    static func confirmation(
        candidates: Int,
        tests: (Int) -> Int,
        left: Double,
        overhead: Double
    ) -> (candidates: Int, blocks: Int, seconds: Double)? {
        for count in stride(from: candidates, to: 0, by: -1) {
            let least = BlockCount.minimum(tests: tests(count))
            // The present arm runs twice.
            let runs = Double(count + 2)
            func seconds(_ blocks: Int) -> Double {
                (left / (runs * Double(blocks)) - overhead) / 1.5
            }
            guard seconds(least) >= leastSeconds else { continue }
            // Some blocks more, because one that goes the other way must not decide.
            let wanted = [least + 6, least + 4, least + 2, least + 1, least]
            let blocks = wanted.first { seconds($0) >= 2 * leastSeconds } ?? least
            return (count, blocks, min(seconds(blocks), 5))
        }
        return nil
    }
}
