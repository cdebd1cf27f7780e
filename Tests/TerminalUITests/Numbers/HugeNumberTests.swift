import Testing
import Units

/// Tests the formatting of numbers from other programs, which can have any value.
struct HugeNumberTests {
    @Test(arguments: [1e15, 1e18, 1e19, 1e300, Double.greatestFiniteMagnitude])
    func everyNumberIsFormatted(number: Double) {
        for text in [
            HumanUnits.decimal(number, places: 1), HumanUnits.decimal(number, places: 2),
            HumanUnits.threeDigits(number), HumanUnits.duration(seconds: number),
            HumanUnits.seconds(number), HumanUnits.rate(number), HumanUnits.percent(number),
            HumanUnits.number(number), HumanUnits.secondsLabel(number),
        ] {
            #expect(text.utf8.allSatisfy { $0 < 0x80 })
        }
        #expect(HumanUnits.decimal(number, places: 1) == "\(number)")
    }

    @Test func numbersBelowTheLimitAreUnchanged() {
        #expect(HumanUnits.decimal(999_999_999_999_999, places: 1) == "999999999999999.0")
        #expect(HumanUnits.threeDigits(123_456) == "123456")
    }
}
