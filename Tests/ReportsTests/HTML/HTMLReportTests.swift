import Foundation
import TestSupport
import Testing

@testable import Reports
@testable import WorkloadEngine

struct HTMLReportTests {
    /// A name that contains markup, quotation marks, and control characters.
    static let hostile =
        "</script></title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u{1B}]0;x\u{7}"

    private func hostileResult() -> RunResult { ResultFixture.result(named: Self.hostile) }

    static var spectra: LatencySpectra {
        var spectrum = LatencySpectrum()
        for value in 1...1000 { spectrum.add(UInt64(value) * 10_000) }
        return LatencySpectra(response: spectrum, wait: spectrum, service: spectrum)
    }

    @Test func dataCannotInjectMarkup() throws {
        let html = try HTMLReport.text(of: hostileResult())
        // The only script element contains the data, and names do not contain active markup.
        #expect(html.components(separatedBy: "<script").count == 2)
        #expect(html.components(separatedBy: "</script").count == 2)
        #expect(html.contains("<script type=\"application/json\" id=\"result\">"))
        #expect(!html.contains("<img"))
        #expect(html.components(separatedBy: "<title").count - 1 >= 1)
        for scalar in html.unicodeScalars {
            let isControl = scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
            #expect(!isControl && !(0x7F...0x9F).contains(scalar.value))
        }
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(html.contains("\u{241B}]0;x\u{2407}"))
    }

    @Test func everyElementIsClosedAndEveryIdentifierIsUsedOnce() throws {
        let html = try HTMLReport.text(of: hostileResult())
        let log = TagLog(html)
        #expect(log.problems == [])
        #expect(Set(log.identifiers).count == log.identifiers.count)
        // All references must have targets.
        #expect(Set(log.references).subtracting(log.identifiers) == [])
    }

    @Test func chartsHaveATitleADescriptionAndNumbers() throws {
        var result = ResultFixture.result
        result.runs[0].clients["ui"]?.spectra = Self.spectra
        result.runs[0].intervals[0].clients["ui"]?.response = ResultFixture.latencies
        let html = try HTMLReport.text(of: result)
        let charts = html.components(separatedBy: "role=\"img\"").dropFirst()
        #expect(charts.count >= 5)
        for chart in charts {
            let drawing = chart.components(separatedBy: "</svg>")[0]
            #expect(drawing.contains("aria-labelledby="))
            #expect(drawing.contains("<title id="))
            #expect(drawing.contains("<desc id="))
        }
        #expect(html.contains("ui: response over time"))
        #expect(html.contains("<td class=\"number\">9.99 ms</td>"))
        #expect(
            html.components(separatedBy: "<table>").count
                == html.components(separatedBy: "<caption>").count
        )
    }

    @Test(.enabled(if: IndependentParser.isAvailable))
    func thePolicyAllowsOnlyTheStyleSheetOfThePage() throws {
        let html = try HTMLReport.text(of: ResultFixture.result)
        let sheet = try #require(
            html.components(separatedBy: "<style>").last?.components(separatedBy: "</style>").first
        )
        let hash = try #require(try IndependentParser.sha256([sheet]).first)
        #expect(hash == HTMLStyle.hash)
        // The quotation marks in the policy are escaped in its attribute.
        #expect(html.contains("style-src &#39;sha256-\(hash)&#39;"))
        #expect(html.contains("default-src &#39;none&#39;"))
        #expect(!html.contains(" style=\""))
        #expect(!html.contains("http://") && !html.contains("https://"))
    }

    @Test func thePageContainsTheResult() throws {
        let html = try HTMLReport.text(of: ResultFixture.result)
        let json = try #require(
            html.components(separatedBy: "id=\"result\">").last?
                .components(separatedBy: "</script>").first
        )
        let decoded = try JSONDecoder().decode(RunResult.self, from: Data(json.utf8))
        #expect(decoded == ResultFixture.result)
    }

    @Test func anEmptyRunIsAValidPage() throws {
        var result = ResultFixture.result
        result.runs = []
        #expect(TagLog(try HTMLReport.text(of: result)).problems == [])
    }
}
