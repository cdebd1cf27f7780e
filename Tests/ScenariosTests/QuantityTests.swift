import Scenarios
import Testing

struct QuantityTests {
    @Test(arguments: [
        ("50ms", Duration.milliseconds(50)), ("30s", .seconds(30)), ("2m", .seconds(120)),
        ("1h", .seconds(3600)), ("200us", .microseconds(200)), ("200µs", .microseconds(200)),
        ("7ns", .nanoseconds(7)), ("0.1s", .milliseconds(100)), ("1.5 s", .milliseconds(1500)),
        ("0s", .zero), ("4m30s", .seconds(270)), ("1h15m", .seconds(4500)),
    ])
    func timesAreExact(text: String, duration: Duration) throws {
        #expect(try Quantity.duration(text) == duration)
    }

    @Test func ratesSizesAndSharesHaveTheirUnits() throws {
        #expect(try Quantity.rate("200/s") == 200)
        #expect(try Quantity.rate("30/m") == 0.5)
        #expect(try Quantity.bytes("64MiB") == 67_108_864)
        #expect(try Quantity.bytes("1KB") == 1000)
        #expect(try Quantity.span("40%") == .share(0.4))
        #expect(try Quantity.span("4s") == .absolute(.seconds(4)))
    }

    @Test(arguments: ["", "s", "ms50", "-5s", "5", "5 parsecs", "1..5s", "1e3s", "9999999h", "5s5"])
    func invalidTimesAreRejected(text: String) {
        #expect(throws: Quantity.Failure.self) { try Quantity.duration(text) }
    }

    @Test func aWrongUnitIsReportedWithTheNearestOne() {
        let failure = #expect(throws: Quantity.Failure.self) { try Quantity.bytes("64MiBs") }
        #expect(failure?.description.hasSuffix("did you mean 'MiB'?") == true)
    }
}
