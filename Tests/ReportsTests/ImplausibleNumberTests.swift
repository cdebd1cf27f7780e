import Foundation
import Reports
import Testing
import WorkloadEngine

/// Tests results with implausible numbers, whose sums could overflow.
struct ImplausibleNumberTests {
    @Test(arguments: ["9223372036854775807", "18446744073709551615", "1e308", "-1e19"])
    func theNumberAndItsPlaceAreReported(number: String) throws {
        let json = try JSONReport.text(of: ResultFixture.result)
        let changed = json.replacing("\"completed\" : 12345,", with: "\"completed\" : \(number),")
        #expect(changed != json)
        let error = #expect(throws: UnreadableResult.self) {
            try RunResult.decode(Data(changed.utf8))
        }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("the number "))
        #expect(text.contains(" at runs.[0].clients.ui.completed exceeds"))
    }

    @Test func aLargeSeedIsValid() throws {
        var result = ResultFixture.result
        result.seed = .max
        let json = Data(try JSONReport.text(of: result).utf8)
        #expect(try RunResult.decode(json).seed == .max)
    }

    @Test(arguments: [Int.min, -1, .max])
    func aReportFormatsAnyNumberOfSlowAccesses(accesses: Int) throws {
        var result = ResultFixture.result
        result.runs[0].blame?["ui"]?.accesses = accesses
        #expect(TextReport.text(of: result).contains(" slowest took "))
        #expect(try HTMLReport.text(of: result).contains("</html>"))
    }
}
