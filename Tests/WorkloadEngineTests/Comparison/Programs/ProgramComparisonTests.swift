import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests comparisons of two programs.
@Suite(.timeLimit(.minutes(2)))
struct ProgramComparisonTests {
    @Test func bothProgramsRunInEachBlockOnTheSameSeedAndData() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let result = try await fakes.comparison(
            fakes.program("baseline"),
            fakes.program("this") { $0.clients["read"]?.throughput = 500 }
        ).run()
        #expect(result.blocks == 6)
        #expect(result.order.allSatisfy { $0.sorted() == ["baseline", "baseline", "this"] })
        #expect(Set(result.order).count > 1, "each block draws a new order")
        let pair = try #require(result.pair("read.throughput", of: "this", against: "baseline"))
        #expect(pair.ratio == 0.5)
        #expect(pair.verdict == .worse)
        let calls = fakes.text("baseline.log").split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        let judged = fakes.text("this.log").split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(calls.count == 12)
        #expect(judged.count == 6)
        // The arguments are `run FILE --arm pool --seed N --database DATA --format json`.
        #expect(calls.first?.count == 10)
        #expect(calls.first?[2...3] == ["--arm", "pool"])
        #expect(judged.map { $0[5] } == (42..<48).map { "\($0)" })
        #expect(calls.map { $0[5] } == (42..<48).flatMap { ["\($0)", "\($0)"] })
        #expect(Set((calls + judged).map { $0[7] }).count == 1, "all runs use one data file")
        let remainingFiles = try FileManager.default.contentsOfDirectory(atPath: fakes.path("runs"))
        #expect(remainingFiles.isEmpty)
    }

    @Test func equalProgramsAreTheSame() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let result = try await fakes.comparison(fakes.program("baseline"), fakes.program("this"))
            .run()
        let pair = try #require(result.pair("read.throughput", of: "this", against: "baseline"))
        #expect(pair.verdict == .same)
        #expect(result.exitStatus == .passed)
    }

    @Test func everyReportListsBothProgramsAndVersions() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let result = try await fakes.comparison(fakes.program("baseline"), fakes.program("this"))
            .run()
        #expect(result.programs?.map(\.versions) == [["poolgauge": "7.8"], ["poolgauge": "7.4"]])
        let reports = [
            ComparisonReport.text(of: result), ComparisonReport.markdown(of: result),
            ComparisonCSV.text(of: result), JUnitReport.text(of: result),
            try ComparisonHTML.text(of: result), try JSONReport.text(of: result),
        ]
        for report in reports {
            for name in ["baseline", "this"] {
                #expect(report.contains("\(name).sh"), "\(report)")
            }
            #expect(report.contains("7.8") && report.contains("7.4"), "\(report)")
        }
        #expect(result.warnings == nil)
    }

    @Test func aComparisonOfAProgramWithItselfCausesAWarning() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let program = try fakes.program("this")
        let other = ComparedProgram(name: "baseline", path: program.path)
        let result = try await fakes.comparison(other, program).run()
        #expect(result.warnings?.first?.contains("are the same program") == true)
    }

    @Test func theProgramReceivesThePhasesAndSettingsOfTheBlock() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let copyCommand = "cp \"$2\" '\(fakes.path("seen.yaml"))'"
        _ = try await fakes.comparison(
            fakes.program("baseline", setupCommand: copyCommand),
            fakes.program("this")
        )
        .run()
        let seen = try Scenario.parse(yaml: fakes.text("seen.yaml"), file: "seen.yaml")
        #expect(seen.arms.map(\.name) == ["pool"])
        #expect(seen.phases.map(\.name) == ["warm-up", "steady"])
        #expect(seen.phases.map(\.duration) == [.milliseconds(10), .milliseconds(20)])
        #expect(seen.drain == .milliseconds(100))
    }

    /// Without its skipped accesses, a slow program would appear to be fast.
    @Test func skippedAccessesAreCountedAsResponses() throws {
        let yaml = FakePrograms.yaml.replacing(
            "access: read,",
            with: "access: read, arrival: {rate: 1000/s, skip-after: 50ms},"
        )
        let scenario = try Scenario.parse(yaml: yaml, file: "pretend.yaml")
        var run = FakePrograms.run
        var spectrum = LatencySpectrum()
        spectrum.add(1_000_000, count: 300)
        run.clients["read"]?.spectra = LatencySpectra(response: spectrum)
        run.clients["read"]?.skipped = 2700
        let metric = try ComparisonMetric("read.response.p50", in: MetricCatalog(clients: ["read"]))
        let skipping = ComparisonMeasurement(program: run, clients: scenario.clients)
        let found = try #require(skipping.value(of: metric))
        #expect((49e6...51e6).contains(found))
        run.clients["read"]?.skipped = 0
        let complete = ComparisonMeasurement(program: run, clients: scenario.clients)
        #expect(complete.value(of: metric) == 1_000_000, "the exact percentile of the result")
    }

    @Test func aHistogramOfASpectrumFillsItsBucketsEvenly() throws {
        var spectrum = LatencySpectrum()
        spectrum.add(1 << 20, count: 1000)
        let histogram = LatencyHistogram(spectrum, maximum: .max)
        #expect(histogram.count == 1000)
        let low = try #require(histogram.value(at: 10))
        let high = try #require(histogram.value(at: 90))
        #expect(low < high)
        #expect(UInt64(1 << 20) <= low && high < UInt64(1 << 20) + 1 << 17)
        #expect(LatencyHistogram(spectrum, maximum: 1_050_000).maximum <= 1_060_000)
    }

    @Test(arguments: Presets.all.map(\.name))
    func everyPresetCanBeWrittenForAnotherProgram(name: String) throws {
        let scenario = try Scenario.load(nameOrPath: name)
        let arm = try #require(scenario.arms.first)
        let copy = try Scenario.parse(yaml: scenario.text(withArm: arm.name), file: "copy.yaml")
        #expect(copy.arms == [arm])
        #expect(copy.clients == scenario.clients)
        #expect(copy.dataset == scenario.dataset)
        #expect(copy.allVariables == scenario.allVariables)
    }

    @Test func settingsArePartOfTheText() throws {
        let scenario = try Scenario.parse(yaml: FakePrograms.yaml, file: "pretend.yaml")
            .with([Scenario.Setting("clients.read.workers=7")])
        let text = try scenario.text(withArm: "pool")
        #expect(try Scenario.parse(yaml: text, file: "copy.yaml").clients.first?.workers == 7)
    }
}
