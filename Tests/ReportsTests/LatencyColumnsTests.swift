import Telemetry
import Testing

@testable import Reports

struct LatencyColumnsTests {
    private let short = LatencySummary(count: 900, mean: 2, p50: 1_000, max: 4_000)
    private let long = LatencySummary(
        count: 20_000,
        mean: 2_000,
        p50: 1_000,
        p99: 2_000,
        p999: 3_000,
        max: 4_000
    )

    @Test func aTailPercentileHasAColumnOnlyIfARowSupportsIt() {
        let columns = LatencyColumns(LatencyColumns.brief, for: [short, long, nil])
        #expect(columns.titles == ["p50", "p99", "p99.9", "max"])
        #expect(columns.cells(long) == ["1.00 µs", "2.00 µs", "3.00 µs", "4.00 µs"])
        #expect(columns.cells(short) == ["1.00 µs", "–", "–", "4.00 µs"])
        #expect(columns.cells(nil) == ["–", "–", "–", "–"])
        #expect(LatencyColumns(LatencyColumns.brief, for: [short]).titles == ["p50", "p99", "max"])
    }

    @Test func reportsShowTheHighestTailPercentile() throws {
        var result = ResultFixture.result
        #expect(!TextReport.text(of: result).contains("p99.99"))
        result.runs[0].clients["ui"]?.response?.p9999 = 29_000_000
        #expect(TextReport.text(of: result).contains("p99.99"))
        #expect(TextReport.text(of: result).contains("29.0 ms"))
        #expect(MarkdownReport.text(of: result).contains("| p99 | p99.9 | p99.99 | max |"))
        #expect(try HTMLReport.text(of: result).contains(">p99.99<"))
        #expect(try JSONReport.text(of: result).contains("\"p99.99\" : 29000000"))
        let lines = CSVReport.text(of: result).split(separator: "\n")
        #expect(
            lines[0].contains("response_p99.99_ns,wait_p99.99_ns,service_p99.99_ns,lag_p99.99_ns")
        )
        #expect(lines[1].contains(",29000000,,,,"))
        #expect(
            lines[0].split(separator: ",").count
                == lines[1].split(separator: ",", omittingEmptySubsequences: false).count
        )
    }
}
