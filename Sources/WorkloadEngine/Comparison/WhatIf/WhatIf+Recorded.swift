import Units

extension WhatIf {
    /// Returns the run of an arm or, if `name` is `nil`, of the first pool or the first arm.
    static func chosenRun(of result: RunResult, _ name: String?) throws -> ArmResult {
        guard result.schema == RunResult.schemaName else {
            throw WhatIfError(
                .unreadable,
                "the file's schema is '\(result.schema)', not '\(RunResult.schemaName)'; record "
                    + "a run with 'poolgauge run … --format json'"
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
            throw WhatIfError(
                .notRecorded,
                "the result does not contain a run, because it ended before the load started"
            )
        }
        // Prefer a pool, because reads in a pool do not wait for the writer.
        return result.runs.first { $0.load?.kind == Arm.Kind.pool.rawValue } ?? first
    }

    static func recordedLoad(of run: ArmResult) throws -> RecordedLoad {
        guard let load = run.load else {
            throw WhatIfError(
                .notRecorded,
                "the result does not contain the load of arm '\(run.arm)', which older versions "
                    + "did not record; record it again with 'poolgauge run … --format json'"
            )
        }
        guard load.phases.contains(where: { $0.measured && $0.length > 0 }) else {
            throw WhatIfError(.notRecorded, "no phase of the recorded load is measured")
        }
        return load
    }

    /// The maximum number of readers to simulate.
    private static let readerLimit = 10_000

    static func setting(of run: ArmResult, _ load: RecordedLoad) throws -> WhatIfSetting {
        guard load.library != Arm.Library.raw.rawValue else {
            throw WhatIfError(
                .unsupported,
                "arm '\(run.arm)' has a connection for each worker, so no access waits for a reader"
            )
        }
        switch load.kind {
        case Arm.Kind.queue.rawValue: return .queue
        case Arm.Kind.pool.rawValue:
            guard let readers = run.pool?.maximumReaderCount ?? load.readers, readers > 0 else {
                throw WhatIfError(
                    .notRecorded,
                    "the result does not contain the number of readers of arm '\(run.arm)'"
                )
            }
            guard readers <= readerLimit else {
                throw WhatIfError(
                    .unreadable,
                    "arm '\(run.arm)' has \(readers) readers; the maximum is \(readerLimit)"
                )
            }
            return .pool(readers: readers)
        default:
            throw WhatIfError(
                .unsupported,
                "arm '\(run.arm)' has type \(load.kind); predictions require a queue or a pool"
            )
        }
    }
}
