import Telemetry
import Testing

@testable import SQLiteWatch

struct SampleScheduleTests {
    /// Returns the moments and weights of samples that are taken without delay.
    private func moments(
        _ count: Int,
        seed: UInt64,
        slot: Double
    ) -> [(time: UInt64, weight: Double)] {
        var schedule = SampleSchedule(seed: seed, start: 1_000, slot: slot)
        return (0..<count).map { _ in
            defer { schedule.advance(at: schedule.plannedTime, slot: slot) }
            return (schedule.plannedTime, schedule.weight)
        }
    }

    @Test func momentsAreDeterminedByTheSeed() {
        let times = moments(100, seed: 7, slot: 1e7).map(\.time)
        #expect(times == moments(100, seed: 7, slot: 1e7).map(\.time))
        #expect(times != moments(100, seed: 8, slot: 1e7).map(\.time))
    }

    @Test func eachSlotHasOneSampleAtARandomMoment() {
        var offsets: [Double] = []
        for (number, moment) in moments(10_000, seed: 8, slot: 1e7).enumerated() {
            let offset = Double(moment.time) - 1_000 - Double(number) * 1e7
            #expect((0..<1e7).contains(offset))
            #expect(moment.weight == 1e7)
            offsets.append(offset / 1e7)
        }
        for tenth in 0..<10 {
            let count = offsets.count { Int($0 * 10) == tenth }
            #expect(abs(count - 1_000) < 150)
        }
    }

    /// Samples at a fixed rate would always observe the same phase of the program.
    @Test(arguments: [1e8, 1e7])
    func aProgramWithTheSameRateIsMeasured(slot: Double) {
        var held = 0.0
        let samples = moments(20_000, seed: 9, slot: slot)
        for sample in samples where sample.time % 100_000_000 < 20_000_000 { held += 1 }
        #expect(abs(held / Double(samples.count) - 0.2) < 0.01)
    }

    /// With independent random moments, the standard error would be 0.009.
    ///
    /// The error would exceed 0.02 in one of 40 runs.
    @Test func alternationsSlowerThanTheRateAreMeasuredPrecisely() {
        var largest = 0.0
        for seed in 0..<50 {
            var random = SplitMix64(seed: UInt64(seed) &+ 1_000)
            // The 30 s consist of cycles of 50 ms to 150 ms. The lock is held for 60% of each
            // cycle.
            var edges: [UInt64] = [0]
            while edges.last ?? .max < 31_000_000_000 {
                let cycle = 0.05 + 0.1 * random.nextUnit()
                let start = edges.last ?? 0
                edges.append(start + UInt64(cycle * 0.6e9))
                edges.append(start + UInt64(cycle * 1e9))
            }
            let samples = moments(3_000, seed: UInt64(seed), slot: 1e7)
            var seen = 0
            var edge = 0
            for sample in samples {
                while edges[edge + 1] <= sample.time { edge += 1 }
                if edge.isMultiple(of: 2) { seen += 1 }
            }
            var truth = 0.0
            for start in stride(from: 0, to: edges.count - 1, by: 2) {
                let end = min(edges[start + 1], 30_000_001_000)
                truth += Double(end) - Double(min(max(edges[start], 1_000), end))
            }
            largest = max(largest, abs(Double(seen) / 3_000 - truth / 3e10))
        }
        #expect(largest < 0.015)
    }

    @Test func aLateSampleRepresentsTheSlotsThatItMissed() {
        var schedule = SampleSchedule(seed: 7, start: 0, slot: 1e7)
        // The first slot ends at 10 ms. The slots that end by 40 ms pass without a sample.
        schedule.advance(at: 45_000_000, slot: 1e7)
        #expect((40_000_000..<50_000_000).contains(schedule.plannedTime))
        #expect(schedule.weight == 4e7)
        schedule.advance(at: 49_000_000, slot: 1e7)
        #expect((50_000_000..<60_000_000).contains(schedule.plannedTime))
        #expect(schedule.weight == 1e7)
    }

    @Test func aLongPauseIsCountedAsOneSecondAtMost() {
        var schedule = SampleSchedule(seed: 7, start: 0, slot: 1e7)
        schedule.advance(at: 3_600_000_000_000, slot: 1e7)
        #expect(schedule.weight == 1e9)
        #expect(schedule.plannedTime >= 3_600_000_000_000 - 10_000_000)
    }

    @Test func theWeightsAddUpToTheTime() {
        var schedule = SampleSchedule(seed: 7, start: 0, slot: 1e7)
        var delays = SplitMix64(seed: 8)
        var sum = 0.0
        var now: UInt64 = 0
        for number in 0..<10_000 {
            now = max(now, schedule.plannedTime)
            sum += schedule.weight
            // Every hundredth sample takes up to half a second.
            if number % 100 == 0 { now += delays.next() % 500_000_000 }
            schedule.advance(at: now, slot: number < 5_000 ? 1e7 : 3e7)
        }
        #expect(abs(sum / Double(now) - 1) < 0.01)
    }
}

struct ListScheduleTests {
    @Test func oneSampleInEachGroupReadsTheList() {
        var schedule = ListSchedule(seed: 7)
        var counts = [Int](repeating: 0, count: 8)
        for _ in 0..<8_000 {
            let chosen = (0..<8).filter { _ in schedule.next(group: 8) }
            #expect(chosen.count == 1)
            #expect(schedule.group == 8)
            counts[chosen[0]] += 1
        }
        // Each position in a group is equally likely.
        #expect(counts.allSatisfy { abs($0 - 1_000) < 150 })
    }

    @Test func aNewLengthAppliesFromTheNextGroup() {
        var schedule = ListSchedule(seed: 7)
        let first = (0..<4).map { _ in schedule.next(group: 4) }
        #expect(first.count(where: \.self) == 1)
        _ = schedule.next(group: 4)
        for _ in 0..<3 {
            _ = schedule.next(group: 1)
            #expect(schedule.group == 4)
        }
        let isChosen = schedule.next(group: 1)
        #expect(isChosen)
        #expect(schedule.group == 1)
    }
}
