import Testing
import WorkloadEngine

@testable import Capture

/// Tests formatting quantities for the scenario language.
struct TimeTextTests {
    @Test(arguments: [
        (1.5, "1.5s"), (0.0123456, "12.3ms"), (0.000_25, "250us"), (4.56e-7, "456ns"),
        (123.4, "123s"), (0.001, "1ms"), (0.000_999_9, "1ms"), (0, "0ns"),
    ])
    func aTimeHasThreeDigits(seconds: Double, text: String) throws {
        #expect(TimeText.yaml(seconds) == text)
        let parsed = try Quantity.duration(text)
        #expect(abs(parsed / .seconds(1) - seconds) <= 0.005 * seconds)
    }

    @Test(arguments: [
        (0.0, "0/s"), (0.004_56, "0.00456/s"), (12.345, "12.3/s"), (123_456.7, "123457/s"),
    ])
    func aRateHasNoExponent(rate: Double, text: String) throws {
        #expect(TimeText.rate(rate) == text)
        #expect(abs(try Quantity.rate(text) - rate) <= 0.005 * rate)
    }

    @Test(arguments: [
        ([1.0, 1, 1, 1], "1s"), ([0.5, 1, 1.5, 1], "{from: 388ms, to: 1.61s}"),
        ([0, 0, 0, 4], "{mean: 1s}"),
    ])
    func aPauseIsConstantUniformOrExponential(seconds: [Double], yaml: String) {
        var numbers = SampledNumbers()
        for number in seconds { numbers.add(number) }
        #expect(PauseModel(numbers).yaml == yaml)
    }

    @Test(arguments: [
        ("PRAGMA journal_mode=WAL", ["journal_mode": "wal"]),
        ("PRAGMA main.cache_size = -2000;", ["cache_size": "-2000"]),
        ("PRAGMA synchronous(1)", ["synchronous": "1"]),
        ("PRAGMA journal_mode = 'wal'", ["journal_mode": "wal"]),
        ("PRAGMA foreign_keys", [:]), ("PRAGMA key = 'secret'", [:]),
        ("PRAGMA rekey = secret", [:]), ("PRAGMA user_version = 7", [:]),
        ("PRAGMA cache_size = 'a: b'", [:]),
    ])
    func aPragmaBecomesASettingOrIsIgnored(sql: String, settings: [String: String]) {
        #expect(PragmaSetting.setting(in: sql) == settings)
    }
}
