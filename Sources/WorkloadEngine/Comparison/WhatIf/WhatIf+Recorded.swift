extension WhatIf {
    /// The run of an arm; without a name, of the only arm that can be predicted from.
    static func chosenRun(of result: RunResult, _ name: String?) throws -> ArmResult {
        guard result.schema == RunResult.schemaName else {
            throw WhatIfError(
                .unreadable,
                "the file is a '\(result.schema)', not a '\(RunResult.schemaName)' as "
                    + "'poolgauge run … --format json' writes it"
            )
        }
        let names = result.runs.map(\.arm)
        if let name {
            if let run = result.runs.first(where: { $0.arm == name }) { return run }
            throw WhatIfError(
                .unknownArm,
                "the result has no arm '\(name)'" + NearestName.hint(name, among: names)
            )
        }
        guard let first = result.runs.first else {
            throw WhatIfError(.notRecorded, "the result holds no run: it ended before the load")
        }
        // Of several, a pool says most: its readers were not kept waiting by the writer.
        return result.runs.first { $0.load?.kind == Arm.Kind.pool.rawValue } ?? first
    }

    static func recordedLoad(of run: ArmResult) throws -> RecordedLoad {
        guard let load = run.load else {
            throw WhatIfError(
                .notRecorded,
                "the result does not tell the load of arm '\(run.arm)', which older versions did "
                    + "not record: record it anew with 'poolgauge run … --format json'"
            )
        }
        guard load.phases.contains(where: { $0.measured && $0.length > 0 }) else {
            throw WhatIfError(.notRecorded, "no phase of the recorded load is measured")
        }
        return load
    }

    /// What served the accesses.
    static func setting(of run: ArmResult, _ load: RecordedLoad) throws -> WhatIfSetting {
        guard load.library != Arm.Library.raw.rawValue else {
            throw WhatIfError(
                .unsupported,
                "arm '\(run.arm)' has a connection for each worker: nobody waits for a reader"
            )
        }
        switch load.kind {
        case Arm.Kind.queue.rawValue: return .queue
        case Arm.Kind.pool.rawValue:
            guard let readers = run.pool?.maximumReaderCount ?? load.readers, readers > 0 else {
                throw WhatIfError(
                    .notRecorded,
                    "the result does not tell how many readers arm '\(run.arm)' had"
                )
            }
            return .pool(readers: readers)
        default:
            throw WhatIfError(
                .unsupported,
                "arm '\(run.arm)' is a \(load.kind); predictions are for queues and pools"
            )
        }
    }

    /// Whether what interrupts its accesses is simulated as it was.
    ///
    /// Not what ends waits too, as somebody does who interrupts one client alone; nor accesses that
    /// are interrupted more often than not, whose times are those of the few that survive; nor
    /// holds, whose statements are over in no time.
    private func areInterruptsSimulated(of name: String) -> Bool {
        guard let own = load.clients[name], let measured = run.clients[name] else { return false }
        let interrupters = load.clients.values.compactMap(\.interrupts)
        return own.isCutShort != true && own.hold == nil && !interrupters.contains(name)
            && interrupters.contains(RecordedLoad.Client.everybody)
            && measured.interrupted <= measured.completed
    }

    /// What a reader of the predictions should beware of.
    func notes(_ fit: [String: WhatIfComparison]) -> [String] {
        var notes: [String] = []
        for (name, own) in fit.sorted(by: { $0.key < $1.key }) where !own.isWithin {
            notes.append(
                "the model does not reproduce \(name)'s wait in the recorded run: what it says of "
                    + "\(name) is of little worth"
            )
        }
        if recorded == .queue {
            notes.append(
                load.isWAL
                    ? "service times are those of the recorded queue, in WAL mode as in a pool"
                    : "service times are those of a rollback journal: a pool's writes, in WAL "
                        + "mode, would be shorter"
            )
        } else {
            notes.append(
                "the queue is one in WAL mode with the pool's 'synchronous': with SQLite's "
                    + "defaults its writes would take longer"
            )
        }
        let names = load.clients.keys.sorted()
        let unmeasured = names.filter { name in
            run.clients[name].map { $0.service != nil && $0.processorMean == nil } ?? false
        }
        if !unmeasured.isEmpty {
            notes.append(
                "the processor time of \(unmeasured.joined(separator: ", ")) was not measured: all "
                    + "of its service is taken for work"
            )
        }
        let disturbed = names.filter { name in
            guard let client = run.clients[name] else { return false }
            let interrupted = areInterruptsSimulated(of: name) ? 0 : client.interrupted
            return interrupted + client.errorCount + client.retried > client.completed / 50
        }
        if !disturbed.isEmpty {
            notes.append(
                "accesses of \(disturbed.joined(separator: ", ")) that were interrupted, failed or "
                    + "were tried again are not simulated"
            )
        }
        if !run.valid || run.partial {
            notes.append("the recorded run was \(run.partial ? "partial" : "invalid")")
        }
        return notes
    }
}
