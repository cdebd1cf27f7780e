import Testing
import Text

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
                let duration = HumanUnits.duration(nanoseconds: number).count
                #expect(duration <= HumanUnits.durationWidth, "\(number)")
                #expect(HumanUnits.bytes(number).utf8.count <= HumanUnits.bytesWidth, "\(number)")
                let rate = HumanUnits.rate(Double(number) / 1_000)
                #expect(rate.utf8.count <= HumanUnits.rateWidth, "\(number)")
            }
            value = value * 3 + 1
        }
        for value in [UInt64.max, 999_499, 999_999, 9_999_999] {
            #expect(HumanUnits.bytes(value).utf8.count <= HumanUnits.bytesWidth)
            let duration = HumanUnits.duration(nanoseconds: value).count
            #expect(duration <= HumanUnits.durationWidth)
        }
    }

    @Test func countsAreGrouped() {
        #expect(HumanUnits.count(7) == "7")
        #expect(HumanUnits.count(50_007) == "50,007")
        #expect(HumanUnits.count(1_000_000) == "1.00M")
        #expect(HumanUnits.exact(1_423_007) == "1,423,007")
        #expect(HumanUnits.exact(-1_423) == "-1,423")
        #expect(HumanUnits.exact(Int.min) == "-9,223,372,036,854,775,808")
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

    // MARK: Numbers from other programs

    @Test(arguments: [1e15, 1e18, 1e19, 1e300, Double.greatestFiniteMagnitude])
    func everyNumberIsFormatted(number: Double) {
        for text in [
            HumanUnits.decimal(number, places: 1), HumanUnits.decimal(number, places: 2),
            HumanUnits.threeDigits(number), HumanUnits.duration(seconds: number),
            HumanUnits.seconds(number), HumanUnits.rate(number), HumanUnits.percent(number),
            HumanUnits.number(number), HumanUnits.secondsLabel(number),
            ReportUnits.seconds(number), ReportUnits.rate(number), ReportUnits.percent(number),
            ReportUnits.fraction(number),
        ] {
            #expect(text.utf8.allSatisfy { $0 < 0x80 })
        }
        #expect(HumanUnits.decimal(number, places: 1) == "\(number)")
        #expect(ReportUnits.factor(number) == "∞×")
    }

    @Test func numbersBelowTheLimitAreUnchanged() {
        #expect(HumanUnits.decimal(999_999_999_999_999, places: 1) == "999999999999999.0")
        #expect(HumanUnits.threeDigits(123_456) == "123456")
    }

    // MARK: Reports

    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1000, "1.00 µs"), (12_345, "12.3 µs"),
            (999_499, "999 µs"), (999_500, "1.00 ms"), (45_600_000, "45.6 ms"),
            (999_500_000, "1.00 s"), (61_000_000_000, "61.0 s"), (125_000_000_000, "125 s"),
        ] as [(UInt64, String)]
    )
    func timesInReportsHaveThreeDigits(nanoseconds: UInt64, text: String) {
        #expect(ReportUnits.time(nanoseconds) == text)
    }

    @Test func otherNumbersInReportsHaveUnits() {
        #expect(ReportUnits.bytes(1023) == "1023 B")
        #expect(ReportUnits.bytes(39_845_888) == "38.0 MiB")
        #expect(ReportUnits.rate(12_345.6) == "12,346/s")
        #expect(ReportUnits.rate(0.5) == "0.50/s")
        #expect(ReportUnits.percent(0.4321) == "43.2%")
        #expect(ReportUnits.time(UInt64?.none) == "–")
        #expect(ReportUnits.seconds(1e19) == "1e+19 s")
        #expect(ReportUnits.roundTime(1.5e6) == "1.5 ms")
        #expect(ReportUnits.roundBytes(3 * 1_048_576) == "3 MiB")
        #expect(ReportUnits.roundRatio(0.0001) == "0.0001×")
        #expect(ReportUnits.unitless(0.05) == "0.05")
    }

    @Test(arguments: [
        (4.1, 3.6, 4.7, "4.1× higher (3.6–4.7)"), (0.25, 0.2, 0.5, "4.0× lower (2.0–5.0)"),
        (1.043, 1.021, 1.065, "1.04× higher (1.02–1.07)"), (12.3, 8.1, 20, "12× higher (8.1–20.0)"),
        (1500, 900, 2500, "1,500× higher (900–2,500)"), (1, 0.98, 1.3, "1.00× higher (0.98–1.30)"),
        (1.0004, 1.0002, 1.0006, "1.00× higher (1.000–1.001)"),
    ])
    func ratiosAreReadable(ratio: Double, low: Double, high: Double, expected: String) {
        #expect(ReportUnits.change(ratio, low, high) == expected)
    }

    @Test func smallRatiosKeepTwoSignificantDigits() {
        #expect(ReportUnits.factor(0.036) == "0.036×")
        #expect(ReportUnits.range(0.021, 0.08) == "0.021–0.080")
    }

    // MARK: The scenario language

    @Test(arguments: [
        (1.5, "1.5s"), (0.0123456, "12.3ms"), (0.000_25, "250us"), (4.56e-7, "456ns"),
        (123.4, "123s"), (0.001, "1ms"), (0.000_999_9, "1ms"), (0, "0ns"), (.nan, "0ns"),
        (-.infinity, "0ns"), (1e300, "1" + String(repeating: "0", count: 300) + "s"),
    ])
    func aCompactTimeHasThreeDigits(seconds: Double, text: String) {
        #expect(ReportUnits.compactTime(seconds) == text)
    }

    @Test(arguments: [
        (0.0, "0/s"), (0.004_56, "0.00456/s"), (12.345, "12.3/s"), (123_456.7, "123457/s"),
        (1e-12, "0/s"),
    ])
    func aCompactRateHasNoExponent(rate: Double, text: String) {
        #expect(ReportUnits.compactRate(rate) == text)
    }

    @Test(arguments: [
        (1e-5, "0.00001"), (1.25e-7, "0.000000125"), (3, "3"), (0.5, "0.5"),
        (1e17, "1" + String(repeating: "0", count: 17)),
        (1.5e20, "15" + String(repeating: "0", count: 19)),
    ])
    func numbersHaveNoExponent(number: Double, text: String) {
        #expect(ReportUnits.withoutExponent(number) == text)
    }

    @Test(
        arguments: [
            (2.9, 2), (-1.0, 0), (.nan, 0), (.infinity, 1_000_000_000_000_000_000),
            (1e300, 1_000_000_000_000_000_000),
            (0.0, 0),
        ] as [(Double, UInt64)]
    )
    func numbersOfRecordingsAreBounded(number: Double, integer: UInt64) {
        #expect(UInt64(bounded: number) == integer)
    }
}
