import Comparison
import Foundation
import Scenarios

// Checks the verdicts of comparisons that have a known result.
//
//     swift run -c release Comparisons [--alarms N] [--finds N] [--blocks N] [--seconds S]
//                                      [--slowdown SHARE] [--workers N]
//
// First, the program compares an arm with one whose accesses take a tenth longer, and counts how
// often the comparison detects the difference. Then it compares an arm with itself, and counts how
// often the test reports a difference at a significance level of 5%. By default, the first
// comparison uses forty quarter-second blocks, and the second uses ten half-second blocks. On a
// machine whose speed changes occasionally, many short blocks detect more than a few long ones.

func option(_ name: String, _ defaultValue: Double) -> Double {
    guard let index = CommandLine.arguments.firstIndex(of: "--" + name),
        index + 1 < CommandLine.arguments.count
    else { return defaultValue }
    return Double(CommandLine.arguments[index + 1]) ?? defaultValue
}

let alarmRounds = Int(option("alarms", 40))
let findRounds = Int(option("finds", 20))
let alarmBlocks = (count: Int(option("blocks", 10)), seconds: option("seconds", 0.5))
let findBlocks = (count: Int(option("blocks", 40)), seconds: option("seconds", 0.25))
let workers = Int(option("workers", 1))
let slowdown = option("slowdown", 0.1)

/// The primary metrics.
///
/// The rate is affected by all other work on the machine. The median response is not affected by
/// short stalls.
let metrics = ["read.throughput", "read.response.p50"]

/// Returns the load average of the last minute.
func loadAverage() -> String {
    var averages = [0.0, 0, 0]
    guard getloadavg(&averages, 3) > 0 else { return "unknown" }
    return String(format: "%.1f", averages[0])
}

/// Returns a scenario of readers in a closed loop.
///
/// Each access sums five hundred rows.
func scenario(seed: UInt64) -> Scenario {
    let read = Operation(
        name: "sum",
        statements: ["SELECT sum(value) FROM item WHERE id BETWEEN :id AND :id + 500"]
    )
    var reader = Client(name: "read", activity: .operations(.read, mix: [read]))
    reader.workers = workers
    var scenario = Scenario(
        name: "comparisons",
        dataset: .sql([
            "CREATE TABLE item(id INTEGER PRIMARY KEY, value INTEGER)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                + "INSERT INTO item SELECT i, i * 7 % 1000 FROM n",
        ]),
        arms: [Arm(name: "plain", kind: .pool), Arm(name: "slowed", kind: .pool)],
        phases: [
            Phase(name: "warm-up", duration: .milliseconds(100), isMeasured: false),
            Phase(name: "steady", duration: .milliseconds(500)),
        ],
        clients: [reader]
    )
    scenario.seed = seed
    scenario.drain = .milliseconds(100)
    scenario.primary = metrics
    scenario.variables["id"] = Variable(distribution: .uniform, minimum: 1, maximum: 19_000)
    return scenario
}

func compare(
    _ arms: [String],
    in blocks: (count: Int, seconds: Double),
    seed: UInt64
) async throws -> Comparison.ComparisonResult {
    var options = ComparisonOptions()
    options.blocks = blocks.count
    options.duration = .seconds(blocks.seconds)
    options.arms = arms
    return try await ComparisonRun(
        scenario: scenario(seed: seed),
        factory: SlowedFactory(slowdown: slowdown),
        options: options
    ).run()
}

/// Prints a line without buffering, so that it is visible immediately, even in a file.
func report(_ line: String) {
    print(line)
    fflush(nil)
}

/// The findings for one metric, from all comparisons of an arm with itself or with a slower arm.
struct Findings {
    let metric: String
    /// The number of comparisons whose uncorrected p-value is at most 0.05.
    ///
    /// For the slowed arm, only differences in the true direction are counted.
    var alarmCount = 0
    /// The number of *worse* verdicts, with Holm's correction for all metrics.
    var worseCount = 0
    var ratios: [Double] = []
    var floors: [Double] = []

    var medians: String {
        guard !ratios.isEmpty else { return "no samples" }
        return String(
            format: "ratio %.3f, noise floor %.3f (medians)",
            ratios.sorted()[ratios.count / 2],
            floors.sorted()[floors.count / 2]
        )
    }
}

/// Compares an arm with itself, and counts the alarms.
///
/// Each block runs the arm twice.
func countAlarms() async throws {
    var findings = metrics.map { Findings(metric: $0) }
    for round in 0..<alarmRounds {
        let result = try await compare(["plain"], in: alarmBlocks, seed: UInt64(1000 + round))
        for index in findings.indices {
            let metric = findings[index].metric
            guard let noise = result.noise.first(where: { $0.metric == metric }) else {
                report("A/A \(round + 1), \(metric): no samples")
                continue
            }
            let isAlarm = noise.p <= 0.05
            if isAlarm { findings[index].alarmCount += 1 }
            findings[index].floors.append(noise.floor)
            findings[index].ratios.append(noise.ratio)
            report(
                "A/A \(round + 1), \(metric): "
                    + String(
                        format: "%.3f (%.3f to %.3f), p %.3f%@",
                        noise.ratio,
                        noise.low,
                        noise.high,
                        noise.p,
                        isAlarm ? "  ALARM" : ""
                    )
            )
        }
    }
    for finding in findings where alarmRounds > 0 {
        report(
            "\(finding.metric): \(finding.alarmCount) alarms in \(alarmRounds) comparisons of an "
                + "arm with itself; \(finding.medians)"
        )
    }
}

/// Compares an arm with a slower arm, and counts the comparisons that detect the difference.
func countDetections() async throws {
    var findings = metrics.map { Findings(metric: $0) }
    var roundsWithDifference = 0
    for round in 0..<findRounds {
        let result = try await compare(
            ["plain", "slowed"],
            in: findBlocks,
            seed: UInt64(2000 + round)
        )
        var foundDifference = false
        for index in findings.indices {
            let metric = findings[index].metric
            guard let pair = result.pair(metric, of: "slowed", against: "plain"),
                let ratio = pair.ratio, let low = pair.low, let high = pair.high,
                let p = pair.uncorrected
            else {
                report("slowed \(round + 1), \(metric): no samples")
                continue
            }
            let isSlower = metric.hasSuffix("throughput") ? ratio < 1 : ratio > 1
            if p <= 0.05, isSlower { findings[index].alarmCount += 1 }
            if pair.verdict == .worse {
                findings[index].worseCount += 1
                foundDifference = true
            }
            findings[index].ratios.append(ratio)
            let floor = result.noiseFloor[metric] ?? 1
            findings[index].floors.append(floor)
            report(
                "slowed \(round + 1), \(metric): "
                    + String(
                        format: "%.3f (%.3f to %.3f), p %.3f, noise floor %.3f, ",
                        ratio,
                        low,
                        high,
                        p,
                        floor
                    ) + pair.verdict.rawValue
            )
        }
        if foundDifference { roundsWithDifference += 1 }
    }
    for finding in findings where findRounds > 0 {
        report(
            "\(finding.metric): \(finding.worseCount) of \(findRounds) differences "
                + "detected (\(finding.alarmCount) without the correction); " + finding.medians
        )
    }
    if findRounds > 0 {
        report("either metric: \(roundsWithDifference) of \(findRounds) differences detected")
    }
}

report("load average \(loadAverage()) at the start")
let start = ContinuousClock.now
try await countDetections()
try await countAlarms()
report(
    "load average \(loadAverage()) at the end, \((ContinuousClock.now - start).components.seconds) s"
)
