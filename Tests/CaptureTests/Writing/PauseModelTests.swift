import Scenarios
import Testing

@testable import Capture

/// Tests the pauses and settings of captured scenarios.
struct PauseModelTests {
    @Test(
        arguments: [
            ([1.0, 1, 1, 1], .constant(.seconds(1))),
            ([0.5, 1, 1.5, 1], .uniform(.milliseconds(388) ... .milliseconds(1610))),
            ([0, 0, 0, 4], .exponential(mean: .seconds(1))),
        ] as [([Double], ThinkTime)]
    )
    func aPauseIsConstantUniformOrExponential(seconds: [Double], thinkTime: ThinkTime) {
        var numbers = SampledNumbers()
        for number in seconds { numbers.add(number) }
        #expect(PauseModel(numbers).thinkTime == thinkTime)
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
