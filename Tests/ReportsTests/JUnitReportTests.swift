import Foundation
import Reports
import Testing

@testable import Comparison
@testable import WorkloadEngine

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Tests verdicts in JUnit XML, and the rows of the CSV report of a comparison.
struct JUnitReportTests {
    /// A collection of a document's elements and their attributes, in order.
    private final class Elements: NSObject, XMLParserDelegate {
        var found: [(name: String, attributes: [String: String])] = []

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            found.append((name, attributes))
        }
    }

    private func elements(
        _ text: String
    ) throws -> [(name: String, attributes: [String: String])] {
        let parser = XMLParser(data: Data(text.utf8))
        let elements = Elements()
        parser.delegate = elements
        try #require(parser.parse(), "\(text)")
        return elements.found
    }

    @Test func eachThresholdAndInvariantIsATestCase() throws {
        var result = ResultFixture.result
        result.runs[0].thresholds.append(
            ThresholdResult(
                metric: "ui.response",
                expression: "max < 1ms & \"more\"",
                observed: 31_000_000,
                passed: false
            )
        )
        result.runs[0].thresholds.append(
            ThresholdResult(
                metric: "ui.response",
                expression: "p(99.9) < 9s",
                undecided: true,
                decidingSeconds: 40
            )
        )
        result.runs[0].invariants.append(
            InvariantResult(name: "none", passed: nil, detail: "no \u{1B} snapshots")
        )
        let found = try elements(JUnitReport.text(of: result))
        #expect(
            found.filter { $0.name == "testcase" }.map { $0.attributes["name"] ?? "" } == [
                "run", "ui.response p(99) < 50ms", "ui.response max < 1ms & \"more\"",
                "ui.response p(99.9) < 9s", "invariant tpcb-sums", "invariant none",
            ]
        )
        let suite = try #require(found.first { $0.name == "testsuite" })
        #expect(suite.attributes["tests"] == "6")
        #expect(suite.attributes["failures"] == "2")
        #expect(suite.attributes["skipped"] == "1")
        #expect(suite.attributes["name"] == "test on pool")
        let failures = found.filter { $0.name == "failure" }.map(\.attributes)
        #expect(failures.map { $0["type"] } == ["threshold", "undecided"])
        #expect(failures.first?["message"] == "observed 31.0 ms")
        #expect(failures.last?["message"]?.contains("--duration 40s") == true)
    }

    @Test func aFailedRunIsAnError() throws {
        var result = ResultFixture.result
        result.runs[0].failures = ["none of the 12 accesses of ui succeeded"]
        result.failures = ["raw: the database of arm 'raw' cannot be opened"]
        let errors = try elements(JUnitReport.text(of: result)).filter { $0.name == "error" }
        #expect(
            errors.map { $0.attributes["message"] ?? "" } == [
                "none of the 12 accesses of ui succeeded",
                "raw: the database of arm 'raw' cannot be opened",
            ]
        )
    }

    @Test func aFailedRunOfAComparisonIsAnError() throws {
        var result = ResultFixture.comparison(pairs: [], primary: [], noiseFloor: [:])
        #expect(try !elements(JUnitReport.text(of: result)).contains { $0.name == "error" })
        result.failedRuns = ["block 1, pool: it failed"]
        let found = try elements(JUnitReport.text(of: result))
        #expect(found.first { $0.name == "error" }?.attributes["message"] == result.failedRuns?[0])
    }

    @Test func eachRowOfTheCSVIsAPairOrAValue() throws {
        let pair = ComparisonPair(
            metric: "ui.response.p99",
            a: "queue",
            b: "pool",
            ratio: 0.25,
            low: 0.2,
            high: 0.3,
            p: 0.01,
            verdict: .better,
            blocks: 3,
            primary: true,
            lowerIsBetter: true,
            isBound: true
        )
        let result = ResultFixture.comparison(
            pairs: [pair],
            primary: ["ui.response.p99"],
            noiseFloor: ["ui.response.p99": 1.1]
        )
        let lines = ComparisonCSV.text(of: result).split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(lines.allSatisfy { $0.count == lines[0].count })
        let rows = lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
        #expect(rows.map { $0["row"] ?? "" } == ["pair"] + Array(repeating: "value", count: 9))
        #expect(rows[0]["ratio"] == "0.25" && rows[0]["noise_floor"] == "1.1")
        #expect(rows[0]["bound"] == "true" && rows[1]["bound"] == "")
        #expect(rows[1]["arm"] == "queue" && rows[1]["block"] == "1")
        #expect(rows[1]["value"] == "4000000.0" && rows[3]["value"] == "")
        #expect(rows[9]["control"] == "true")
        #expect(rows.allSatisfy { $0["versions"] == "sqlite 3.40.1" })
    }
}
