/// Opens an arm's database for a run and closes it.
struct TargetOpener {
    let arm: Arm
    let factory: any WorkloadTargetFactory
    let options: RunOptions
    let control: RunControl

    /// How long to retry opening a locked file if the arm has no `busy-timeout`.
    private static let defaultTimeout = Duration.seconds(5)
    /// The time between two attempts, in nanoseconds.
    private static let pause: UInt64 = 20_000_000

    /// A database that is open for a run.
    struct Opened {
        let target: any WorkloadTarget
        fileprivate let factory: any WorkloadTargetFactory
        fileprivate let original: OriginalJournal?

        /// Closes the database, then restores the journal mode that it had before the run.
        func close() throws {
            try target.close()
            original?.restore(through: factory)
        }
    }

    /// Opens the database and runs the arm's setup.
    ///
    /// If another process has locked a database that is used in place, this method retries until
    /// the arm's `busy-timeout` expires. It does so because SQLite does not call the busy handler
    /// for some of the locks acquired while opening, such as the lock for a journal mode change
    /// (<https://sqlite.org/c3ref/busy_handler.html>).
    ///
    /// - Parameters:
    ///   - path: The database's path.
    ///   - report: A function that receives the reason for a delay.
    /// - Returns: The open database.
    /// - Throws: ``RunError``, or `CancellationError` if the run is stopped first.
    func open(at path: String, reporting report: (String) -> Void) throws -> Opened {
        guard case .inPlace = options.database else { return try openOnce(at: path) }
        let timeout = arm.busyTimeout ?? Self.defaultTimeout
        let sleeper = options.clock.makeSleeper()
        let end = options.clock.now() &+ timeout.wholeNanoseconds
        while true {
            do {
                return try openOnce(at: path)
            } catch let error as RunError {
                guard let cause = error.cause, case .busy = factory.failure(of: cause) else {
                    throw error
                }
                guard control.stage < .stopped else { throw CancellationError() }
                let holders = LockHolders(path: path, processes: nil).current
                let by = holders.isEmpty ? "another process" : holders.joined(separator: ", ")
                guard options.clock.now() < end else {
                    throw RunError(
                        .opening,
                        "the database of arm '\(arm.name)' cannot be opened: it was locked by "
                            + "\(by) for \(HumanUnits.time(timeout.wholeNanoseconds))",
                        cause: cause
                    )
                }
                report("waiting because the database is locked by \(by)")
                sleeper.sleep(until: options.clock.now() &+ Self.pause)
            }
        }
    }

    private func openOnce(at path: String) throws -> Opened {
        var original: OriginalJournal?
        do {
            original = try OriginalJournal(of: options.database, through: factory)
            let target = try factory.open(arm, at: path)
            do {
                for sql in arm.setup {
                    try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
                        _ = try $0.run(sql, [])
                    }
                }
                // Start each run with an empty log, regardless of the arm's setup.
                if arm.isWAL, !arm.setup.isEmpty {
                    _ = try? Checkpoint.run(
                        .truncate,
                        on: target,
                        as: WorkloadClientName("setup")
                    )
                }
            } catch {
                try? target.close()
                throw error
            }
            return Opened(target: target, factory: factory, original: original)
        } catch {
            original?.restore(through: factory)
            throw RunError(
                .opening,
                "the database of arm '\(arm.name)' cannot be opened",
                cause: error
            )
        }
    }
}
