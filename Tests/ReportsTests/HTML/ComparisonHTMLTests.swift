import Foundation
import Testing

@testable import Comparison
@testable import Reports

struct ComparisonHTMLTests {
    private static let metric = "ui.response.p99"

    private func pair(_ a: String, _ b: String, ratio: Double?) -> ComparisonPair {
        ComparisonPair(
            metric: Self.metric,
            a: a,
            b: b,
            ratio: ratio,
            low: ratio.map { $0 * 0.8 },
            high: ratio.map { $0 * 1.2 },
            p: 0.002,
            verdict: .better,
            blocks: 3,
            primary: true,
            lowerIsBetter: true
        )
    }

    private var result: Comparison.ComparisonResult {
        ResultFixture.comparison(
            pairs: [pair("queue", "pool", ratio: 0.25)],
            primary: [Self.metric],
            noiseFloor: [Self.metric: 1.08]
        )
    }

    @Test func theAnswerComesFirst() throws {
        let html = try ComparisonHTML.text(of: result)
        let answer = try #require(html.range(of: "pool: ui p99 4.1× lower (3.6–4.7) than queue."))
        let sections = try #require(html.range(of: "<section"))
        #expect(answer.lowerBound < sections.lowerBound)
        for title in ["Summary", "Block by block", "Write-ahead log", "All numbers"] {
            #expect(html.contains(">\(title)</h2>"), "\(title)")
        }
        #expect(html.contains("ui.response.p99: better"))
        #expect(html.contains("pool against queue"))
        #expect(TagLog(html).problems == [])
    }

    @Test func dataCannotInjectMarkup() throws {
        let hostile = ResultFixture.comparison(named: HTMLReportTests.hostile)
        let html = try ComparisonHTML.text(of: hostile)
        #expect(html.components(separatedBy: "<script").count == 2)
        #expect(!html.contains("<img"))
        #expect(!html.unicodeScalars.contains { $0.value == 0x1B || $0.value == 7 })
        let log = TagLog(html)
        #expect(log.problems == [])
        #expect(Set(log.identifiers).count == log.identifiers.count)
        #expect(Set(log.references).subtracting(log.identifiers) == [])
    }

    @Test func thePageContainsTheResult() throws {
        let html = try ComparisonHTML.text(of: result)
        let json = try #require(
            html.components(separatedBy: "id=\"result\">").last?
                .components(separatedBy: "</script>").first
        )
        #expect(
            try JSONDecoder().decode(
                Comparison.ComparisonResult.self,
                from: Data(json.utf8)
            ) == result
        )
    }

    @Test func intervalsAreDrawnAtTheirRatios() throws {
        let axis = ChartAxis.ratio("ratio", values: [0.25, 4])
        #expect(abs(axis.position(of: 1) - 0.5) < 1e-9)
        #expect(axis.position(of: 0.25) < 0.1)
        #expect(axis.position(of: 4) > 0.9)
        #expect(axis.ticks.contains { $0.value == 1 && $0.label == "1×" })
        #expect(ChartAxis.ratio("ratio", values: []).ticks.count >= 3)
    }

    @Test func anEmptyComparisonIsAValidPage() throws {
        var nothing = result
        nothing.answer = []
        nothing.pairs = []
        nothing.arms = []
        nothing.control = nil
        nothing.blocks = 0
        nothing.partial = true
        #expect(TagLog(try ComparisonHTML.text(of: nothing)).problems == [])
    }
}
