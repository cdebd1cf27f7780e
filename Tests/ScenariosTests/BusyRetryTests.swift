import Scenarios
import Testing

/// Tests `retry` in the `busy` setting of an arm.
struct BusyRetryTests {
    private func arm(_ busy: String) throws -> Arm {
        let text = """
            version: 1
            name: busy
            dataset: {schema: "CREATE TABLE t (a)"}
            arms:
              a: {type: queue, busy: \(busy)}
            phases: [{name: steady, duration: 1s}]
            clients: {app: {access: read, sql: SELECT 1}}
            """
        return try Scenario.parse(yaml: text, file: "f").arms[0]
    }

    @Test(arguments: [
        ("{timeout: 5s}", BusyRetry?.none), ("{timeout: 5s, retry: backoff}", .backoff),
        ("{timeout: 5s, retry: fixed 1ms}", .fixed(.milliseconds(1))),
        ("{timeout: 5s, retry: fixed 250us}", .fixed(.microseconds(250))),
        ("{timeout: 1ms, retry: fixed 1ms}", .fixed(.milliseconds(1))),
    ])
    func theKindOfRetryIsRead(busy: String, retry: BusyRetry?) throws {
        #expect(try arm(busy).busyRetry == retry)
    }

    @Test(arguments: [
        ("{timeout: 5s, retry: fixed}", "'fixed' has no time"),
        ("{timeout: 5s, retry: fixed 1}", "the time in 'fixed 1' has no unit"),
        ("{timeout: 5s, retry: fixed x}", "'x' in 'fixed x' is not a time"),
        ("{timeout: 5s, retry: fixed 0ms}", "'fixed 0ms' requires a pause longer than 0"),
        (
            "{timeout: 5s, retry: backof}",
            "'backof' is not a kind of retry; write backoff"
        ),
        ("{timeout: 5s, retry: backoff 1ms}", "'backoff 1ms' has a time"),
        ("{timeout: 5s, retry: 3}", "'3' is not a kind of retry"),
        ("{timeout: 0s, retry: fixed 1ms}", "requires a timeout above 0, such as timeout: 5s"),
        ("{timeout: 1ms, retry: fixed 2ms}", "must not be longer than its timeout, '1ms'"),
        ("{retry: fixed 1ms}", "requires 'timeout'"),
    ])
    func aMistakeIsReportedWithItsLine(busy: String, message: String) {
        let error = #expect(throws: ScenarioError.self) { try arm(busy) }
        let text = error?.description ?? ""
        #expect(text.contains(message), "\(text)")
        #expect(text.contains("f:5:"), "\(text)")
        if message.hasPrefix("'") {
            #expect(text.contains("write backoff, or fixed and a time, such as fixed 1ms"))
        }
    }

    @Test func theSchemaAcceptsBothKinds() {
        let schema = ScenarioSchema.json
        #expect(schema.contains(#""examples": ["fixed 1ms"]"#) || schema.contains("fixed 1ms"))
        #expect(ScenarioReference.markdown.contains("backoff; or fixed and a time"))
    }
}
