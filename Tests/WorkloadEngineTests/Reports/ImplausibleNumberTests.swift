import Foundation
import Testing

@testable import WorkloadEngine

/// Tests results with implausible numbers, whose sums could overflow.
struct ImplausibleNumberTests {
    @Test(arguments: ["9223372036854775807", "18446744073709551615", "1e308", "-1e19"])
    func theNumberAndItsPlaceAreReported(number: String) throws {
        let json = try JSONReport.text(of: ResultFixture.result)
        let changed = json.replacing("\"completed\" : 12345,", with: "\"completed\" : \(number),")
        #expect(changed != json)
        let error = #expect(throws: WhatIfError.self) {
            try RunResult.decode(Data(changed.utf8), file: "run.json")
        }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("run.json: the number "))
        #expect(text.contains(" at runs.[0].clients.ui.completed exceeds"))
    }

    @Test func aLargeSeedIsValid() throws {
        var result = ResultFixture.result
        result.seed = .max
        let json = Data(try JSONReport.text(of: result).utf8)
        #expect(try RunResult.decode(json, file: "run.json").seed == .max)
    }

    @Test(arguments: [Int.min, -1, .max])
    func aReportFormatsAnyNumberOfSlowAccesses(accesses: Int) throws {
        var result = ResultFixture.result
        result.runs[0].blame?["ui"]?.accesses = accesses
        #expect(TextReport.text(of: result).contains(" slowest took "))
        #expect(try HTMLReport.text(of: result).contains("</html>"))
    }

    @Test func reportsFormatAnyNumber() {
        for number in [1e15, 1e19, 1e308, Double.greatestFiniteMagnitude, .infinity] {
            for text in [
                ReportUnits.seconds(number), ReportUnits.rate(number), ReportUnits.percent(number),
                ReportUnits.fraction(number),
            ] {
                #expect(!text.isEmpty)
            }
        }
        #expect(ReportUnits.seconds(1e19) == "1e+19 s")
    }

    /// The memory use of a prediction does not depend on the numbers in the result.
    @Test(arguments: [
        ("\"time\":2.201", "\"time\":1000000000000"),
        ("\"workers\":", "\"workers\":1000000000000,\"x\":"),
        ("\"maximumReaderCount\":", "\"maximumReaderCount\":1000000000000,\"x\":"),
    ])
    func aPredictionUsesLittleMemory(number: String, replacement: String) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Comparison/WhatIf/Recorded/small-load.json")
        let json = try String(contentsOf: file, encoding: .utf8)
        let changed = json.replacing(number, with: replacement)
        #expect(changed != json)
        let result = try RunResult.decode(Data(changed.utf8), file: "run.json")
        // The result is either simulated or rejected with a reason.
        do { _ = try WhatIf(result).predict([.queue]) } catch let error as WhatIfError {
            #expect(error.description.contains("the maximum is"))
        }
    }
}
