import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests how the share of writes affects clients.
struct WriteBalanceTests {
    private func plans(_ clients: [Client]) throws -> [ClientPlan] {
        try RunPlan(.test(clients), on: NoopTarget()).clients
    }

    private func client(
        _ name: String,
        access: WorkloadAccess,
        workers: Int = 1,
        rate: Double? = nil
    ) -> Client {
        var client = Client(
            name: name,
            activity: .operations(access, mix: [Operation(name: name, statements: ["SELECT 1"])])
        )
        client.workers = workers
        if let rate { client.pace = .open(Arrival(rate: rate)) }
        return client
    }

    @Test func ratesMoveAndTheirSumIsUnchanged() throws {
        let balance = WriteBalance(
            try plans([
                client("read", access: .read, rate: 300),
                client("write", access: .write, rate: 100),
            ])
        )
        #expect(balance.share(of: nil) == 0.25)
        let read = balance.factors(of: 0, at: 0.6).load * 300
        let write = balance.factors(of: 1, at: 0.6).load * 100
        #expect(abs(read - 160) < 1e-9)
        #expect(abs(write - 240) < 1e-9)
        #expect(balance.factors(of: 1, at: nil).load == 1)
    }

    @Test func workersMoveIfClientsHaveNoRates() throws {
        let balance = WriteBalance(
            try plans([
                client("read", access: .read, workers: 6),
                client("write", access: .write, workers: 2),
            ])
        )
        #expect(balance.factors(of: 0, at: 0.5).scaled(workers: 6) == 4)
        #expect(balance.factors(of: 1, at: 0.5).scaled(workers: 2) == 4)
        #expect(balance.factors(of: 0, at: 1).scaled(workers: 6) == 0)
        #expect(balance.factors(of: 0, at: 0.99).scaled(workers: 6) == 1, "one worker must remain")
    }

    @Test func withoutWritersTheShareCannotChange() throws {
        let balance = WriteBalance(try plans([client("read", access: .read)]))
        #expect(balance.share(of: nil) == nil)
        #expect(balance.factors(of: 0, at: 0.5).load == 1)
    }
}
