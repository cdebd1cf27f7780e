import TerminalUI
import Testing

struct HumanUnitsTests {
    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (9_994, "9.99 µs"),
            (9_996, "10.0 µs"),
            (99_949, "99.9 µs"), (99_951, "100 µs"), (999_499, "999 µs"), (999_500, "1.00 ms"),
            (12_340_000, "12.3 ms"), (999_500_000, "1.00 s"), (99_940_000_000, "99.9 s"),
            (99_960_000_000, "1m 39s"), (125_000_000_000, "2m 05s"), (3_600_000_000_000, "1h 00m"),
            (100_000_000_000_000, "1d 03h"),
        ] as [(UInt64, String)]
    )
    func durationsHaveThreeDigitsAndAUnit(nanoseconds: UInt64, text: String) {
        #expect(HumanUnits.duration(nanoseconds: nanoseconds) == text)
    }

    @Test(
        arguments: [
            (0, "0 ms"), (0.000_082, "82.0 µs"), (0.3, "300 ms"), (0.999_6, "1.0 s"),
            (1.24, "1.2 s"), (125, "2m 05s"), (.nan, "0 ms"), (.infinity, "0 ms"),
        ] as [(Double, String)]
    )
    func durationsInSecondsHaveAtMostOneDecimalPlace(seconds: Double, text: String) {
        #expect(HumanUnits.duration(seconds: seconds) == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_024, "1.0 KiB"), (40_400_000, "38.5 MiB"),
            (412 << 20, "412 MiB"), (1 << 30, "1.0 GiB"),
        ] as [(UInt64, String)]
    )
    func sizesAreBinary(bytes: UInt64, text: String) {
        #expect(HumanUnits.bytes(bytes) == text)
    }

    @Test(
        arguments: [
            (0, "0/s"), (0.421, "0.42/s"), (12.34, "12.3/s"), (1_423.4, "1,423/s"),
            (123_456, "123k/s"), (1_234_567, "1.23M/s"), (.nan, "0/s"), (-1, "0/s"),
            (.infinity, "0/s"),
        ] as [(Double, String)]
    )
    func ratesArePerSecond(rate: Double, text: String) {
        #expect(HumanUnits.rate(rate) == text)
    }

    @Test(
        arguments: [
            (0, "0%"), (0.004, "0.4%"), (0.05, "5%"), (0.43, "43%"), (1, "100%"),
            (55, "999%"),
            (.nan, "0%"),
        ] as [(Double, String)]
    )
    func sharesArePercentages(share: Double, text: String) {
        #expect(HumanUnits.percent(share) == text)
    }

    @Test func numbersNeverExceedTheirColumn() {
        var value: UInt64 = 1
        while value < .max / 3 {
            for number in [value - 1, value, value + 1, value &* 2] {
                let duration = CellText.width(of: HumanUnits.duration(nanoseconds: number))
                #expect(duration <= HumanUnits.durationWidth, "\(number)")
                #expect(HumanUnits.bytes(number).utf8.count <= HumanUnits.bytesWidth, "\(number)")
                let rate = HumanUnits.rate(Double(number) / 1_000)
                #expect(rate.utf8.count <= HumanUnits.rateWidth, "\(number)")
            }
            value = value * 3 + 1
        }
        for value in [UInt64.max, 999_499, 999_999, 9_999_999] {
            #expect(HumanUnits.bytes(value).utf8.count <= HumanUnits.bytesWidth)
            let duration = CellText.width(of: HumanUnits.duration(nanoseconds: value))
            #expect(duration <= HumanUnits.durationWidth)
        }
    }

    @Test func countsAreGrouped() {
        #expect(HumanUnits.count(7) == "7")
        #expect(HumanUnits.count(50_007) == "50,007")
        #expect(HumanUnits.count(1_000_000) == "1.00M")
        #expect(HumanUnits.exact(1_423_007) == "1,423,007")
        #expect(HumanUnits.exact(1, "frame") == "1 frame")
        #expect(HumanUnits.exact(1_423, "frame") == "1,423 frames")
        #expect(HumanUnits.number(0.42) == "0.4")
        #expect(HumanUnits.number(12) == "12")
        #expect(HumanUnits.number(1_423.4) == "1,423")
        #expect(HumanUnits.number(.nan) == "0")
        #expect(HumanUnits.counted(1, "reader", "readers") == "1 reader")
        #expect(HumanUnits.counted(0, "reader", "readers") == "0 readers")
        #expect(HumanUnits.seconds(12.34) == "12.3 s")
        #expect(HumanUnits.seconds(.nan) == "0.0 s")
        #expect(HumanUnits.secondsLabel(300) == "5 min")
    }
}
