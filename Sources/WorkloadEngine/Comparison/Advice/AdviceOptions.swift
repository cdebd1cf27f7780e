/// The options of a search for advice.
public struct AdviceOptions: Sendable {
    /// The arm that the candidates change; nil for `present`, or the first arm.
    public var arm: String?
    /// The time limit: the search then ends with the results found so far.
    public var within: Duration = .seconds(300)
    /// Returns a function that proposes indexes for the statements of an open database.
    public var indexes: @Sendable (any WorkloadTarget) throws -> IndexProposals = { _ in
        { _, _ in [] }
    }

    /// A function that takes a statement and the lines of its `EXPLAIN QUERY PLAN`, and returns
    /// `CREATE INDEX` statements.
    public typealias IndexProposals = (_ sql: String, _ plan: [String]) -> [String]
    /// The options of each run.
    public var run = RunOptions()
    /// The versions of the libraries in use, for the result's environment.
    public var versions: [String: String] = [:]
    /// Called before each step with a line that describes it.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: five minutes.
    public init() {}
}

/// Divides the time of a search among its steps.
struct AdviceSchedule: Equatable {
    /// Returns the length of the measured part of the present arm's run, in seconds.
    static func baseline(within limit: Double) -> Double { min(max(limit * 0.06, 0.7), 5) }

    /// Returns the number of screening runs of each candidate, and their measured length in
    /// seconds.
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

    /// The shortest measured part of a confirming run, in seconds.
    private static let leastSeconds = 0.3

    /// Plans the confirmation; returns nil if the time is too short for one candidate.
    ///
    /// - Parameters:
    ///   - candidates: The number of candidates.
    ///   - tests: Returns the number of tests for a number of candidates, for Holm's correction.
    ///   - left: The remaining time, in seconds.
    ///   - overhead: The overhead of a run beyond its phases, in seconds.
    /// - Returns: The number of candidates and of blocks, and the length of each run's measured
    ///   part in seconds.
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
            // Add some blocks, so that a single contrary block does not decide.
            let wanted = [least + 6, least + 4, least + 2, least + 1, least]
            let blocks = wanted.first { seconds($0) >= 2 * leastSeconds } ?? least
            return (count, blocks, min(seconds(blocks), 5))
        }
        return nil
    }
}
