import Foundation
import Scenarios
import Telemetry
import Text

/// The cost of a driver's protocol, measured with accesses that have no statements.
struct DriverCost: Sendable, Equatable {
    /// The times of single accesses: the lowest, and the 95th percentile, in nanoseconds.
    var roundTrip: ClosedRange<UInt64>
    /// The time per access of a batch while all lanes are busy, in nanoseconds.
    var perAccess: ClosedRange<Double>

    private static let singles = 300
    static let batch = 256
    private static let slices = 8
    /// The length of a slice, in nanoseconds.
    private static let slice: UInt64 = 15_000_000

    /// Returns a line of accesses without statements.
    static func line(_ values: [WorkloadValue], count: Int = batch) -> [UInt8] {
        var line = DriverLine()
        for _ in 0..<count {
            line.begin(DriverLine.echo)
            line.add(values, in: Array(values.indices))
            line.end()
        }
        return line.take()
    }

    /// Measures the cost, which takes about 0.2 s.
    ///
    /// - Throws: ``DriverLane/Broken``.
    static func measure(
        on lanes: [DriverLane],
        values: [WorkloadValue],
        clock: any RunClock
    ) throws -> DriverCost {
        guard let first = lanes.first else {
            return DriverCost(roundTrip: 0...0, perAccess: 0...0)
        }
        let single = line(values, count: 1)
        var times: [UInt64] = []
        for _ in 0..<singles { times.append(try first.echo(single, count: 1)) }
        // The first accesses load code.
        times = times.dropFirst(singles / 3).sorted()
        let high = times[times.count * 95 / 100]
        return DriverCost(
            roundTrip: (times.first ?? 0)...high,
            perAccess: try perAccess(on: lanes, line(values), clock: clock)
        )
    }

    /// Measures the time per access of a batch.
    ///
    /// Measured after a load, it does not include the compilation of the driver's code.
    static func perAccess(
        on lanes: [DriverLane],
        _ batchLine: [UInt8],
        clock: any RunClock
    ) throws -> ClosedRange<Double> {
        var costs: [Double] = []
        for _ in 0..<slices {
            let start = clock.now()
            let sums = Lock<(count: Int, time: UInt64, error: (any Error)?)>((0, 0, nil))
            let group = DispatchGroup()
            for lane in lanes {
                group.enter()
                let thread = Thread {
                    defer { group.leave() }
                    do {
                        while clock.now() &- start < slice {
                            let time = try lane.echo(batchLine, count: batch)
                            sums.withLock { sums in
                                sums.count += batch
                                sums.time += time
                            }
                        }
                    } catch {
                        sums.withLock { $0.error = error }
                    }
                }
                thread.stackSize = 1 << 19
                thread.start()
            }
            group.wait()
            let (count, time, error) = sums.withLock { $0 }
            if let error { throw error }
            // The lanes work at the same time, also if a global lock lets only one of them run.
            costs.append(Double(time) / Double(lanes.count) / Double(max(1, count)))
        }
        let sorted = costs.dropFirst(slices / 2).sorted()
        return (sorted.first ?? 0)...(sorted.last ?? 0)
    }

    /// Returns the part of the time between sending an access and receiving its answer that neither
    /// the access nor the protocol explains, in nanoseconds.
    ///
    /// During this time, the access waited in the driver before the driver noticed it.
    func unexplainedWait(_ time: UInt64, answer: DriverAnswer) -> UInt64 {
        let explained = answer.wait &+ answer.service &+ roundTrip.upperBound
        return time &- min(time, explained)
    }
}

extension ArmResult {
    /// Adds what is known about the driver, with the throughput of clients without think time.
    mutating func add(_ driver: DriverTarget?, closed: [String]) {
        guard let driver else { return }
        let used = clients.filter { driver.uses($0.key) }.compactMapValues(\.throughput)
        self.driver = driver.result(
            throughputs: used.filter { closed.contains($0.key) },
            total: used.values.reduce(0, +)
        )
        guard let reason = self.driver?.invalidReason, valid else { return }
        valid = false
        invalidReason = reason
    }
}
