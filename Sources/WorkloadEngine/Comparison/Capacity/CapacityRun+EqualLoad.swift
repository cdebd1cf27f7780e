extension CapacityRun {
    // MARK: Readers for a rate

    func findReaders(for rate: Double, into result: inout CapacityResult) async throws {
        let candidates = options.readers.isEmpty ? Self.defaultReaders : options.readers
        let pools = scenario.arms.filter {
            options.arms.contains($0.name) && $0.hasReaders
        }
        guard !pools.isEmpty else {
            throw RunError(
                .scenario,
                "--rate searches for a pool's number of readers, but no arm is a pool"
            )
        }
        result.readers = []
        for pool in pools {
            var search = ReaderSearch(candidates)
            var failures: [Int: String] = [:]
            while let step = search.step {
                var arm = pool
                arm.readers = step.readers
                let variant = Variant(arm: arm, readers: step.readers)
                let (_, verdict) = try await trial(variant, at: rate, isLong: true)
                if case .met = verdict {} else { failures[step.readers] = verdict.reason }
                search.record(verdict == .met)
            }
            let nextSmaller = search.candidates.last { $0 < search.smallest ?? .max }
            result.readers?.append(
                .init(
                    arm: pool.name,
                    rate: rate,
                    candidates: search.candidates,
                    smallest: search.smallest,
                    failure: nextSmaller.flatMap { failures[$0] }
                )
            )
        }
    }

    // MARK: Equal load

    func compare(into result: inout CapacityResult) async throws {
        let capacities = result.arms.compactMap(\.capacity)
        guard result.arms.count > 1, capacities.count == result.arms.count,
            let slowest = capacities.min()
        else { return }
        result.equalLoads = []
        for share in options.equalLoads {
            let rate = slowest * share
            result.equalLoads?.append(
                .init(share: share, rate: rate.rounded(toDigits: 3), arms: [])
            )
            guard let index = result.equalLoads?.indices.last else { return }
            for variant in variants {
                let (run, verdict) = try await trial(variant, at: rate, isLong: true)
                var responses: [String: CapacityResult.EqualLoad.Latency] = [:]
                for part in load.parts {
                    guard let response = run.clients[part.client]?.response else { continue }
                    responses[part.client] = .init(
                        p50: response.p50,
                        p99: response.p99,
                        p999: response.p999,
                        p9999: response.p9999,
                        max: response.max
                    )
                }
                result.equalLoads?[index].arms.append(
                    .init(
                        arm: variant.title,
                        response: responses,
                        missed: verdict.reason,
                        invalid: run.valid ? nil : true
                    )
                )
            }
        }
    }
}
