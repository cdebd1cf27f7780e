import Foundation
import Reports
import Testing

@testable import Comparison

struct SweepReportTests {
    private static let metric = "ui.response.p50"

    /// Returns a result of two arms at three values: worse, inconclusive, and better.
    private func result(
        name: String = "test",
        arms: [String] = ["queue", "pool"]
    ) throws
        -> Comparison.ComparisonResult
    {
        var result = ResultFixture.comparison(
            pairs: [],
            primary: [Self.metric],
            noiseFloor: [Self.metric: 1.1]
        )
        result.scenario = name
        let values = ["1", "2", "8"]
        result.arms = values.flatMap { value in
            arms.map { arm in
                ArmComparison(
                    arm: "\(arm), readers \(value)",
                    metrics: [Self.metric: Spread([1e6, 2e6, 3e6])].compactMapValues { $0 },
                    values: [:],
                    spectra: [:]
                )
            }
        }
        result.sweep = SweepSummary(
            variable: "readers",
            arms: arms,
            plannedBlocks: 8,
            rows: values.enumerated().map { index, value in
                SweepSummary.Row(
                    value: value,
                    a: arms.count > 1
                        ? "\(arms[0]), readers \(value)"
                        : index > 0 ? "\(arms[0]), readers 1" : nil,
                    b: "\(arms[arms.count - 1]), readers \(value)"
                )
            }
        )
        let found: [(Double, ComparisonVerdict)] = [
            (2, .worse), (1.05, .inconclusive), (0.25, .better),
        ]
        result.pairs = try zip(#require(result.sweep).rows, found).compactMap { row, found in
            row.a.map { a in
                ComparisonPair(
                    metric: Self.metric,
                    a: a,
                    b: row.b,
                    ratio: found.0,
                    low: found.0 * 0.8,
                    high: found.0 * 1.25,
                    p: 0.02,
                    verdict: found.1,
                    blocks: 8,
                    primary: true,
                    lowerIsBetter: true,
                    note: found.1 == .inconclusive ? "below the noise floor" : nil
                )
            }
        }
        result.answer = try #require(result.sweep).answer(of: result)
        return result
    }

    @Test func theTextHasARowForEachValue() throws {
        let text = ComparisonReport.text(of: try result())
        #expect(
            text.contains(
                "ui p50 of pool against queue: better at readers 8 (by 4.0×); worse at readers 1 "
                    + "(by 2.0×); inconclusive at readers 2."
            )
        )
        #expect(text.contains(/readers +queue +pool +change/))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("  8 ") }
        #expect(rows.count == 1 && rows[0].contains("4.0× lower") && rows[0].hasSuffix("better"))
        #expect(text.contains("below the noise floor: ui.response.p50 of pool, readers 2"))
    }

    @Test func oneArmHasABaselineRow() throws {
        let text = ComparisonReport.text(of: try result(arms: ["pool"]))
        #expect(text.contains("of pool against readers 1: better at readers 8"))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("  1 ") }
        #expect(rows.count == 1 && rows[0].hasSuffix("baseline"))
    }

    @Test func theMarkdownHasATable() throws {
        let text = ComparisonReport.markdown(of: try result())
        #expect(text.contains("| readers | queue | pool | change |"))
        #expect(text.split(separator: "\n").count { $0.hasPrefix("| ") } == 4)
    }

    @Test func thePageHasOneChartAndEscapesNames() throws {
        let html = try ComparisonHTML.text(of: result(name: "<script>alert(1)</script>"))
        #expect(!html.contains("<script>alert"))
        #expect(html.split(separator: "<svg").count == 2)
        #expect(html.contains("ui.response.p50 of pool divided by that of queue"))
        #expect(html.contains("readers 8: better"))
        #expect(html.contains("<th scope=\"row\">8</th>") || html.contains(">8</t"))
    }

    @Test func theJSONNamesTheArmsOfEachRow() throws {
        let json = try JSONReport.text(of: result())
        let copy = try JSONDecoder().decode(
            Comparison.ComparisonResult.self,
            from: Data(json.utf8)
        )
        #expect(copy.sweep?.rows.map(\.value) == ["1", "2", "8"])
        #expect(copy == (try result()))
    }

    @Test func tooFewBlocksAreUndecided() throws {
        var result = try result()
        result.blocks = 3
        #expect(result.exitStatus == .undecided)
        result.blocks = 7
        #expect(result.exitStatus == .passed)
    }
}
