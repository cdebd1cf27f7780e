import Telemetry

extension Sampler {
    /// Returns the first threshold that the current measurements miss, if any.
    ///
    /// Call this method after ``endInterval()``.
    func firstMiss(of watch: AbortWatch) -> AbortResult? {
        let now = context.control.now()
        let seconds = context.phases.measuredTime(until: now).secondsFromNanoseconds
        guard watch.isDue(at: seconds) else { return nil }
        return watch.firstMiss(in: interim(of: watch.clients, at: now, seconds: seconds))
    }

    private func interim(of names: Set<String>, at now: UInt64, seconds: Double) -> ArmResult {
        let phaseSeconds = context.phases.seconds(until: now)
        var clients: [String: ClientResult] = [:]
        for meter in meters where names.contains(meter.plan.name.name) {
            clients[meter.plan.name.name] = meter.interim(
                seconds: phaseSeconds,
                at: context.clock.now()
            )
        }
        return ArmResult(
            arm: title.arm.name,
            valid: true,
            partial: true,
            duration: seconds.rounded(toDigits: 6),
            environment: [:],
            clients: clients,
            pool: database.poolResult(),
            wal: database.walResult(),
            snapshots: database.snapshotResult(),
            interrupts: database.interruptResult(),
            generator: GeneratorResult(),
            thresholds: [],
            invariants: [],
            intervals: []
        )
    }
}
