import Findings
import SQLText
import Scenarios

extension ArmResult {
    /// Returns the facts of a run with these clients for the rules that explain failures, waits,
    /// and slow statements.
    package func loadFacts(of clients: [Client], on arm: Arm) -> LoadFacts {
        var facts = loadFacts
        for client in clients {
            guard let result = self.clients[client.name], case .operations = client.activity else {
                continue
            }
            facts.holds += holds(of: client, result, on: arm)
            facts.repetitions += client.repetitions(result)
            if let small = smallTransactions(of: client, result),
                LoadRules.isNoteworthy(small)
            {
                facts.smallTransactions.append(small)
            }
        }
        return facts
    }

    private func holds(
        of client: Client,
        _ result: ClientResult,
        on arm: Arm
    ) -> [LoadFacts.Hold] {
        guard case .operations(let access, let mix) = client.activity else { return [] }
        return mix.compactMap { operation in
            let writes = (operation.access ?? access) == .write
            let isDeferred = writes && arm.begin == .deferred
            var isLocked = !isDeferred
            let idle = Step.idle(operation.steps, isLocked: &isLocked)
            guard idle > .zero else { return nil }
            let observed = (result.operations?[operation.name] ?? result).throughput ?? 0
            // A short run contains few accesses of a rare client.
            let rate = (mix.count == 1 ? result.targetRate : nil) ?? observed
            var waits: [String: UInt64] = [:]
            for (other, blame) in blame ?? [:]
            where blame.holders.contains(where: { $0.client == client.name }) {
                waits[other] = blame.slowest.map(\.waited).max()
            }
            return LoadFacts.Hold(
                client: client.name,
                writes: writes,
                idle: idle.wholeNanoseconds,
                rate: rate,
                waits: waits.filter { $0.value >= 1_000_000 }
            )
        }
    }

    private func smallTransactions(
        of client: Client,
        _ result: ClientResult
    ) -> LoadFacts.SmallTransactions? {
        guard case .operations(let access, let mix) = client.activity, client.style != .process,
            mix.allSatisfy({ operation in
                (operation.access ?? access).isWrite && operation.isSmallChange
            })
        else { return nil }
        let steps = mix.compactMap { result.operations?[$0.name]?.profile?.counters?.vmSteps }
        guard steps.count == mix.count, let most = steps.max(), let mean = result.service?.mean,
            let rate = result.throughput
        else { return nil }
        return LoadFacts.SmallTransactions(
            client: client.name,
            rate: rate,
            mean: mean,
            steps: most,
            synchronous: environment["synchronous"],
            journal: environment["journal_mode"]
        )
    }

    /// The facts that do not depend on the clients' statements.
    private var loadFacts: LoadFacts {
        var facts = LoadFacts()
        for (name, client) in clients {
            var known = LoadFacts.Client(
                started: client.started + client.retried,
                errors: client.errors,
                longestAccess: client.service?.max
            )
            known.retried = client.retried
            facts.clients[name] = known
            for (operation, result) in client.operations ?? [:] {
                guard let profile = result.profile, let counters = profile.counters else {
                    continue
                }
                facts.operations.append(
                    LoadFacts.Operation(
                        client: name,
                        name: operation,
                        rate: result.throughput ?? 0,
                        steps: counters.vmSteps,
                        plans: profile.plans.map { ($0.sql, $0.lines) }
                    )
                )
            }
        }
        facts.busy = (busy?.groups ?? []).map { group in
            var fact = LoadFacts.Busy(
                cause: group.cause,
                client: group.client,
                count: group.count
            )
            fact.statement = group.statement
            fact.longestWait = group.longestWait
            fact.timeout = group.timeout
            fact.holder =
                group.holders.filter { $0.key != LockHolders.unknown }
                .max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            return fact
        }
        return facts
    }
}

extension Step {
    /// Returns the time of pauses while a lock is held.
    ///
    /// A deferred transaction acquires the write lock in its first change.
    static func idle(_ steps: [Step], isLocked: inout Bool) -> Duration {
        var total = Duration.zero
        for step in steps {
            switch step {
            case .run(let sql, _):
                if SQLStatementKind(sql) == .change { isLocked = true }
            case .pause(let time):
                if isLocked { total += time.mean }
            case .times(let count, let steps):
                guard count > 0 else { continue }
                let wasLocked = isLocked
                let first = idle(steps, isLocked: &isLocked)
                // The first repetition may acquire the lock.
                let next = isLocked == wasLocked ? first : idle(steps, isLocked: &isLocked)
                total += first + next * (count - 1)
            case .when(_, let then, let otherwise):
                var locks = (isLocked, isLocked)
                total += max(
                    idle(then, isLocked: &locks.0),
                    idle(otherwise, isLocked: &locks.1)
                )
                isLocked = locks.0 || locks.1
            }
        }
        return total
    }
}

extension Operation {
    /// Whether an operation changes rows with at most two statements, without pauses.
    fileprivate var isSmallChange: Bool {
        (1...2).contains(steps.count)
            && steps.allSatisfy { step in
                if case .run(let sql, _) = step { SQLStatementKind(sql) == .change } else { false }
            }
    }
}

extension Client {
    /// The statements that fetch rows and that an access repeats.
    fileprivate func repetitions(_ result: ClientResult) -> [LoadFacts.Repetition] {
        guard case .operations(_, let mix) = activity else { return [] }
        return separateRepetitions(of: mix, result)
            + mix.flatMap { operation in
                let rate = (result.operations?[operation.name] ?? result).throughput ?? 0
                return operation.steps.flatMap { step -> [LoadFacts.Repetition] in
                    guard case .times(let count, let steps) = step,
                        !steps.flatMap(\.statements).contains(where: {
                            SQLStatementKind($0) == .change
                        })
                    else { return [] }
                    return steps.flatMap(\.statements).map {
                        LoadFacts.Repetition(client: name, sql: $0, count: count, rate: rate)
                    }
                }
            }
    }

    /// The largest ratio of the number of executions to the number of rows, or the inverse, with
    /// which one statement appears to run for each row of another one.
    private static let maximumRatio = 1.3

    /// The statements that run in accesses of their own, once for each row of another statement.
    private func separateRepetitions(
        of mix: [Operation],
        _ result: ClientResult
    ) -> [LoadFacts.Repetition] {
        let executed = mix.compactMap { operation -> (sql: String, rows: Int, rate: Double)? in
            guard operation.statements.count == 1, let sql = operation.statements.first,
                SQLStatementKind(sql) == .other,
                let measured = result.operations?[operation.name],
                let rows = measured.profile?.counters?.rows, let rate = measured.throughput
            else { return nil }
            return (sql, rows, rate)
        }
        return executed.flatMap { list in
            executed.compactMap { single in
                guard list.rows > 1, single.rows <= 1, list.rate > 0 else { return nil }
                let ratio = single.rate / list.rate / Double(list.rows)
                guard (1 / Self.maximumRatio...Self.maximumRatio).contains(ratio) else {
                    return nil
                }
                return LoadFacts.Repetition(
                    client: name,
                    sql: single.sql,
                    count: list.rows,
                    rate: list.rate,
                    cause: list.sql
                )
            }
        }
    }
}
