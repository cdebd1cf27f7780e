import Foundation
import Testing

@testable import WorkloadEngine

struct CrossoverPictureTests {
    /// Returns a result with two rows of three cells.
    ///
    /// The verdicts are worse, same, and better in the first row. In the second row, they are
    /// inconclusive, inconclusive without a ratio, and better.
    private func result(name: String = "test") -> CrossoverResult {
        func cell(
            _ column: Int,
            _ row: Int,
            _ ratio: Double?,
            _ verdict: CrossoverResult.Verdict
        ) -> CrossoverResult.Cell {
            .init(
                indices: [column, row],
                values: ["readers": ["1", "2", "8"][column], "write-share": ["0", "0.5"][row]],
                pairs: ratio == nil ? 0 : 6,
                invalidPairs: 0,
                a: ratio == nil ? nil : 1e6,
                b: ratio.map { $0 * 1e6 },
                ratio: ratio,
                low: ratio.map { $0 * 0.8 },
                high: ratio.map { $0 * 1.25 },
                level: 0.97,
                verdict: verdict,
                options: ["--readers \(["1", "2", "8"][column])"]
            )
        }
        return CrossoverResult(
            schema: CrossoverResult.schemaName,
            scenario: name,
            seed: 1,
            environment: HostEnvironment(
                operatingSystem: "test",
                architecture: "test",
                cpuCount: 2,
                versions: ["sqlite": "3.40.1"],
                scenarioText: ""
            ),
            partial: false,
            a: "queue",
            b: "pool",
            metric: "ui.response.p50",
            higherIsBetter: false,
            blocks: 6,
            runSeconds: 0.5,
            sweeps: [
                .init(variable: .readers, values: ["1", "2", "8"]),
                .init(variable: .writeShare, values: ["0", "0.5"]),
            ],
            noiseFloor: 1.1,
            noisePairs: 12,
            settings: ["queue": "journal_mode delete", "pool": "journal_mode wal"],
            cells: [
                cell(0, 0, 2, .worse), cell(1, 0, 1, .same), cell(2, 0, 0.25, .better),
                cell(0, 1, 1.2, .inconclusive), cell(1, 1, nil, .inconclusive),
                cell(2, 1, 0.05, .better),
            ]
        )
    }

    @Test func theMapIsReadableWithoutColors() {
        let text = CrossoverReport.text(of: result())
        #expect(text.contains("-2.0×"))
        #expect(text.contains("=1.0×"))
        #expect(text.contains("+4.0×"))
        #expect(text.contains("~1.2×") || text.contains("~0.83×"))
        #expect(text.contains("+20×"))
        #expect(text.contains("?"))
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains("poolgauge run test --arm queue --arm pool --readers 8"))
    }

    @Test func theMapIsASCIIInTheCLocale() {
        let text = CrossoverReport.text(of: result(), style: .init(isUTF8: false))
        #expect(text.utf8.allSatisfy { $0 < 128 })
        #expect(text.contains("+4.0x"))
    }

    @Test func colorsDoNotChangeCharacters() {
        let plain = CrossoverReport.text(of: result())
        let colored = CrossoverReport.text(of: result(), style: .init(hasColor: true))
        #expect(colored.contains("\u{1B}[38;5;16;48;5;"))
        let stripped = colored.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                String(line.reversed().drop { $0 == " " }.reversed())
            }
        }
        #expect(lines(stripped) == lines(plain))
    }

    @Test func thePictureIsBalancedXMLAndEscapesNames() throws {
        let hostile = "<script>alert(1)</script> & \"\u{1B}[31m"
        let svg = CrossoverPicture.svg(of: result(name: hostile))
        #expect(!svg.contains("<script"))
        #expect(!svg.contains("\u{1B}"))
        #expect(svg.contains("&lt;script&gt;"))
        #expect(svg.hasPrefix("<svg "))
        #expect(svg.hasSuffix("</svg>\n"))
        #expect(svg.contains("class=\"cell b4\""))
        #expect(svg.contains("class=\"cell a3\""))
        #expect(svg.contains("class=\"cell noise\""))
        for tag in ["svg", "g", "text", "title", "desc", "style", "defs", "pattern"] {
            let opened = svg.matches(of: try Regex("<\(tag)[ >]")).count
            #expect(opened == svg.matches(of: try Regex("</\(tag)>")).count, "\(tag)")
        }
    }

    @Test func everyFormatContainsVersionsAndSettings() {
        let result = result()
        for text in [
            CrossoverReport.text(of: result),
            CrossoverReport.markdown(of: result).replacing("\\_", with: "_"),
            CrossoverPicture.svg(of: result),
        ] {
            #expect(text.contains("sqlite 3.40.1"))
            #expect(text.contains("pool: journal_mode wal; queue: journal_mode delete"))
        }
    }

    @Test func theMarkdownTableContainsEachCell() {
        let text = CrossoverReport.markdown(of: result())
        #expect(text.contains(#"| write-share \\ readers | 1 | 2 | 8 |"#))
        #expect(text.contains("| 0 | -2.0× ("))
    }
}

struct CrossoverVerdictsTests {
    private func cell(
        _ logarithms: [Double],
        floor: Double? = 1.1,
        higherIsBetter: Bool = false,
        invalid: Int = 0
    ) -> CrossoverResult.Cell {
        var cell = CrossoverResult.Cell(
            indices: [0],
            values: [:],
            pairs: logarithms.count,
            invalidPairs: invalid,
            verdict: .inconclusive,
            options: []
        )
        CrossoverVerdicts(higherIsBetter: higherIsBetter, noiseFloor: floor)
            .judge(&cell, logarithms)
        return cell
    }

    private let half = [-0.70, -0.68, -0.72, -0.69, -0.71, -0.66]

    @Test func aClearDifferenceIsBetterOrWorse() {
        #expect(cell(half).verdict == .better)
        #expect(cell(half.map { -$0 }).verdict == .worse)
        #expect(cell(half, higherIsBetter: true).verdict == .worse)
    }

    @Test func aDifferenceBelowTheNoiseFloorIsNotReported() {
        #expect(cell(half, floor: 2.5).verdict == .same)
        #expect(cell([0.02, 0.03, 0.01, 0.02, 0.04, 0.03]).verdict == .same)
        #expect(cell([0.05, 0.2, 0.06, 0.07, 0.3, 0.05], floor: 1.2).verdict == .inconclusive)
    }

    /// A wait of 20 µs instead of 306 ms has a ratio of 0.00007.
    @Test func aSmallRatioKeepsFourDigits() throws {
        let large = cell([13_000, 13_500, 14_000, 14_500, 15_000, 15_500].map { -log($0) })
        #expect(large.verdict == .better)
        #expect(large.mark(higherIsBetter: false, times: "×") == "+14231×")
        #expect(large.range(higherIsBetter: false) == "13001..15499")
        #expect(cell(half).ratio == 0.4991)
        #expect(cell(half.map { -$0 }).ratio == 2.004)
        #expect(cell([7, 7, 7, 7, 7, 7].map { $0 * log(10) }).ratio == 10_000_000)
    }

    @Test func tooFewPairsOrAnUnknownFloorDecideNothing() {
        #expect(cell(Array(half.prefix(5))).verdict == .inconclusive)
        #expect(cell(half, floor: nil).verdict == .inconclusive)
        #expect(cell(half, invalid: 4).verdict == .inconclusive)
        #expect(cell([]).verdict == .inconclusive)
    }

    @Test func theFloorIsTheLargerBoundOfTheIntervalForOneArm() throws {
        let floor = try #require(
            CrossoverVerdicts.floor(of: [-0.1, 0.02, 0.05, -0.03, 0.2, 0.01])
        )
        #expect(floor >= 1)
        #expect(abs(floor - exp(0.2)) < 0.05)
        #expect(CrossoverVerdicts.floor(of: []) == nil)
    }
}
