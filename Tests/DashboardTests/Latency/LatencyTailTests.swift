import Telemetry
import TerminalUI
import Testing

@testable import Dashboard

/// Tests that the latency screen lists a percentile only if there are enough accesses.
struct LatencyTailTests {
    /// Returns the latency screen for `factor` times as many accesses as in the story.
    private func picture(factor: Int) throws -> String {
        var model = DashboardModel(theme: try Theme.named("dark"))
        for var sample in Story().samples() {
            for client in sample.clients.indices {
                for index in sample.clients[client].operations?.indices ?? 0..<0 {
                    guard let response = sample.clients[client].operations?[index].response else {
                        continue
                    }
                    for _ in 1..<factor {
                        sample.clients[client].operations?[index].response.add(response)
                    }
                }
            }
            model.ingest(sample)
        }
        _ = model.handle(.key(.character("5")))
        return model.render(size: Size(width: 170, height: 40)).plainText
    }

    /// The story has 3,600 accesses of each operation in 30 seconds.
    @Test func listsAPercentileOnlyWithEnoughAccesses() throws {
        #expect(try !picture(factor: 2).contains("resp p99.9"))
        let threefold = try picture(factor: 3)
        #expect(threefold.contains("resp p99  resp p99.9  wait p50"))
        #expect(!threefold.contains("resp p99.99"))
        #expect(try picture(factor: 30).contains("resp p99.9  resp p99.99  wait p50"))
    }
}
