import Text

/// The rules about a load that Poolgauge generates, whose clients know the causes of failures.
///
/// Failed accesses come first, then waits, and then statements that take time.
package enum LoadRules {
    /// Returns all findings, most important first.
    package static func findings(in facts: LoadFacts) -> [Finding] {
        let found =
            upgrades(facts) + timeouts(facts) + withoutTimeout(facts) + otherWaits(facts)
            + otherFailures(facts) + idleHolders(facts) + slowOperations(facts)
            + smallTransactions(facts) + repetitions(facts)
        return Finding.bySeverity(found)
    }

    /// The start of a remedy that no setting provides.
    package static let notASetting = "Not a setting: "

    // MARK: SQLITE_BUSY

    private static func groups(_ facts: LoadFacts, causes: BusyCause...) -> [LoadFacts.Busy] {
        facts.busy.filter { causes.contains($0.cause) }.sorted {
            ($1.count, $0.client, $0.statement ?? "") < ($0.count, $1.client, $1.statement ?? "")
        }
    }

    private static func accesses(_ count: UInt64) -> String {
        "\(HumanUnits.exact(count)) \(count == 1 ? "access" : "accesses")"
    }

    private static func names(_ clients: some Sequence<String>) -> String {
        let all = Array(Set(clients)).sorted()
        let more = all.count > 3 ? " and \(all.count - 3) more" : ""
        return all.prefix(3).joined(separator: ", ") + more
    }

    /// Returns text such as `12 of 400 accesses of ui (3%)`, and the statements that failed.
    ///
    /// If accesses were retried, each retry is another attempt, and an access may succeed although
    /// some of its attempts failed.
    private static func failures(_ groups: [LoadFacts.Busy], in facts: LoadFacts) -> String {
        let clients = Set(groups.map(\.client))
        let count = groups.reduce(0) { $0 + $1.count }
        let started = clients.reduce(0) { $0 + (facts.clients[$1]?.started ?? 0) }
        let isRetried = clients.contains { facts.clients[$0]?.retried ?? 0 > 0 }
        func things(_ count: UInt64) -> String {
            isRetried ? HumanUnits.exact(count, "attempt") : accesses(count)
        }
        let share =
            started >= count && started > 0
            ? "\(HumanUnits.exact(count)) of \(things(started)) of "
                + "\(names(clients)) (\(HumanUnits.percent(Double(count) / Double(started))))"
            : "\(things(count)) of \(names(clients))"
        var statements: [String] = []
        for case let sql? in groups.map(\.statement) where !statements.contains(sql) {
            statements.append(sql)
        }
        guard let first = statements.first else { return share }
        let others = statements.count - 1
        let more = others > 0 ? " and \(HumanUnits.exact(UInt64(others), "other statement"))" : ""
        return share + " failed in \(FindingFacts.quoted(first))\(more):"
    }

    private static func sentence(_ groups: [LoadFacts.Busy], in facts: LoadFacts) -> String {
        let text = failures(groups, in: facts)
        return text.hasSuffix(":") ? text + " SQLITE_BUSY" : text + " failed with SQLITE_BUSY"
    }

    private static func upgrades(_ facts: LoadFacts) -> [Finding] {
        let groups = groups(facts, causes: .snapshotUpgrade)
        guard !groups.isEmpty else { return [] }
        return [
            Finding(
                .upgrade,
                sentence(groups, in: facts) + " at once. The transaction had read before it wrote, "
                    + "and another connection wrote. " + FailureRules.timeoutCannotHelp,
                remedy: "Start transactions that write with BEGIN IMMEDIATE (`begin: immediate`), "
                    + "or read outside the transaction."
            )
        ]
    }

    /// Failures after the busy timeout, one finding for each holder.
    private static func timeouts(_ facts: LoadFacts) -> [Finding] {
        Dictionary(grouping: groups(facts, causes: .timeout), by: \.holder)
            .map { (holder: $0.key, groups: $0.value) }
            .sorted { one, other in
                (other.groups.reduce(0) { $0 + $1.count }, one.holder ?? "")
                    < (one.groups.reduce(0) { $0 + $1.count }, other.holder ?? "")
            }
            .map { holder, groups in
                let timeout = groups.compactMap(\.timeout).max()
                let wait = groups.compactMap(\.longestWait).max()
                var text = sentence(groups, in: facts)
                if let wait {
                    text += " after waiting up to \(HumanUnits.duration(nanoseconds: wait))"
                }
                if let timeout {
                    text += " (the busy timeout is \(HumanUnits.duration(nanoseconds: timeout)))"
                }
                let isSelf = groups.allSatisfy { $0.client == holder }
                let longest = holder.flatMap { facts.clients[$0]?.longestAccess }
                switch holder {
                case nil: text += "; the holder of the lock is not known."
                case let holder?:
                    text += isSelf ? " for other accesses of \(holder)" : " for \(holder)"
                    text +=
                        longest.map {
                            ", whose longest access took \(HumanUnits.duration(nanoseconds: $0))."
                        } ?? "."
                }
                return Finding(
                    .busy,
                    text,
                    remedy: remedy(timeout: timeout, holder: holder, longest: longest)
                )
            }
    }

    private static func remedy(timeout: UInt64?, holder: String?, longest: UInt64?) -> String {
        let shorter =
            holder.map { "Shorten the transactions of \($0)" }
            ?? "Shorten the transactions that write"
        guard let longest, longest > timeout ?? 0 else {
            return shorter + ", or raise the busy timeout (`busy: {timeout: 5s}`)."
        }
        return shorter + " (do other work before BEGIN or after COMMIT), or set a busy timeout "
            + "above \(HumanUnits.duration(nanoseconds: longest)) (`busy: {timeout: …}`)."
    }

    private static func withoutTimeout(_ facts: LoadFacts) -> [Finding] {
        let groups = groups(facts, causes: .noTimeout)
        guard !groups.isEmpty else { return [] }
        let holders = names(groups.compactMap(\.holder))
        return [
            Finding(
                .busy,
                sentence(groups, in: facts) + " without waiting: the connection has no busy timeout"
                    + (holders.isEmpty ? "." : ", and \(holders) held the lock."),
                remedy: "Set a busy timeout on each connection that is longer than the longest "
                    + "write transaction (`busy: {timeout: 5s}`)."
            )
        ]
    }

    private static func otherWaits(_ facts: LoadFacts) -> [Finding] {
        let recoveries = groups(facts, causes: .recovery)
        let checkpoints = groups(facts, causes: .checkpoint)
        var findings: [Finding] = []
        if !recoveries.isEmpty {
            findings.append(
                Finding(
                    .busy,
                    sentence(recoveries, in: facts)
                        + " while another connection recovered the write-ahead log.",
                    remedy: "Set a busy timeout: recovery takes a moment (`busy: {timeout: 5s}`)."
                )
            )
        }
        if !checkpoints.isEmpty {
            let holders = names(checkpoints.compactMap(\.holder))
            let count = checkpoints.reduce(0) { $0 + $1.count }
            findings.append(
                Finding(
                    .checkpointWaits,
                    level: .note,
                    "\(HumanUnits.exact(count, "checkpoint")) of "
                        + "\(names(checkpoints.map(\.client))) could not complete, because "
                        + (holders.isEmpty ? "other connections" : holders)
                        + " used the log.",
                    remedy: "Shorten these transactions, or use a PASSIVE checkpoint, which does "
                        + "not wait."
                )
            )
        }
        return findings
    }

    // MARK: Other failures

    private static func otherFailures(_ facts: LoadFacts) -> [Finding] {
        var codes: [String: [String: UInt64]] = [:]
        for (name, client) in facts.clients {
            for (code, count) in client.errors
            where code.hasPrefix("SQLITE_") && !code.hasPrefix("SQLITE_BUSY") {
                codes[code, default: [:]][name] = count
            }
        }
        return codes.sorted { $0.key < $1.key }.map { code, clients in
            let count = clients.values.reduce(0, +)
            let started = clients.keys.reduce(0) { $0 + (facts.clients[$1]?.started ?? 0) }
            let advice = FailureRules.advice(for: code)
            let share = HumanUnits.percent(Double(count) / Double(max(started, 1)))
            return Finding(
                .failures,
                level: advice.level,
                "\(HumanUnits.exact(count)) of \(accesses(started)) (\(share)) of "
                    + "\(names(clients.keys)) failed with \(code): \(advice.text).",
                remedy: advice.remedy
            )
        }
    }

    // MARK: Locks

    /// The share of time that a lock is idle, and the length of an idle lock in nanoseconds, from
    /// which they are a finding.
    private static let minimumIdleShare = 0.02
    private static let minimumIdleTime: UInt64 = 20_000_000

    private static func idleHolders(_ facts: LoadFacts) -> [Finding] {
        let blockers = Set(facts.busy.compactMap(\.holder))
        func share(_ hold: LoadFacts.Hold) -> Double { Double(hold.idle) / 1e9 * hold.rate }
        let holds = facts.holds.filter { hold in
            guard hold.idle >= minimumIdleTime else { return false }
            if blockers.contains(hold.client) { return true }
            return share(hold) >= minimumIdleShare && (hold.writes || !hold.waits.isEmpty)
        }
        return holds.sorted { (share($1), $0.client) < (share($0), $1.client) }.map { hold in
            let lock = hold.writes ? "the write lock" : "its connection"
            var text =
                "\(hold.client) holds \(lock) idle for "
                + "\(HumanUnits.duration(nanoseconds: hold.idle)) in each access "
                + "(\(HumanUnits.rate(hold.rate)), \(HumanUnits.percent(min(1, share(hold)))) of "
                + "the time)"
            let waits = hold.waits.filter { $0.key != hold.client }
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            if !waits.isEmpty {
                let list = waits.prefix(3).map {
                    "\($0.key) waited up to \(HumanUnits.duration(nanoseconds: $0.value))"
                }
                text += ": " + list.joined(separator: ", ")
            }
            return Finding(
                .idleTransaction,
                text + ".",
                remedy: notASetting + "do the work between the statements before BEGIN or after "
                    + "COMMIT."
            )
        }
    }

    /// The number of transactions per second, and the share of time that they take, from which
    /// small transactions are a finding.
    private static let minimumTransactionRate = 100.0
    private static let minimumTransactionShare = 0.2
    /// The number of instructions of the virtual machine up to which a transaction is small.
    private static let maximumTransactionSteps = 1_000
    /// The longest time that an instruction takes in memory, in nanoseconds.
    private static let instructionTime: UInt64 = 100

    private static func smallTransactions(_ facts: LoadFacts) -> [Finding] {
        facts.smallTransactions.filter(isNoteworthy).map { small in
            let syncsOften =
                ["delete", "truncate", "persist"].contains(small.journal)
                && ["full", "extra"].contains(small.synchronous)
            let share = Double(small.mean) / 1e9 * small.rate
            let sync = small.synchronous.map { " (synchronous: \($0))" } ?? ""
            return Finding(
                .smallTransactions,
                "\(small.client) commits \(HumanUnits.rate(small.rate)), which takes "
                    + "\(HumanUnits.percent(min(1, share))) of the time: on average, a transaction takes "
                    + "\(HumanUnits.duration(nanoseconds: small.mean)), but its statements only "
                    + "\(HumanUnits.exact(UInt64(small.steps), "instruction")) of SQLite's virtual "
                    + "machine. The rest is the commit\(sync).",
                remedy: "Put several writes into one transaction"
                    + (syncsOften
                        ? ", or use a write-ahead log (`journal: wal`), whose commits wait for the "
                            + "disk once instead of several times." : ".")
            )
        }
    }

    /// Whether commits take most of the time of a client that occupies the write lock.
    package static func isNoteworthy(_ small: LoadFacts.SmallTransactions) -> Bool {
        small.rate >= minimumTransactionRate && small.steps <= maximumTransactionSteps
            && small.mean > UInt64(small.steps) * instructionTime
            && Double(small.mean) / 1e9 * small.rate >= minimumTransactionShare
    }

    /// The number of repetitions in an access from which they are a finding.
    private static let minimumRepetitions = 10

    private static func repetitions(_ facts: LoadFacts) -> [Finding] {
        facts.repetitions.filter { $0.count >= minimumRepetitions }
            .sorted { (Double($1.count) * $1.rate, $0.sql) < (Double($0.count) * $0.rate, $1.sql) }
            .prefix(3).map { repeated in
                Finding(
                    .repeated,
                    level: .note,
                    "\(repeated.client) executes \(FindingFacts.quoted(repeated.sql)) "
                        + (repeated.cause.map { cause in
                            "about \(HumanUnits.exact(repeated.count, "time")) for each "
                                + "\(FindingFacts.quoted(cause)), which returns as many rows, "
                        } ?? "\(HumanUnits.exact(repeated.count, "time")) in each access, ")
                        + "\(HumanUnits.rate(Double(repeated.count) * repeated.rate)).",
                    remedy: notASetting + "fetch all rows with one statement, with JOIN or IN."
                )
            }
    }

    // MARK: Statements

    private static func slowOperations(_ facts: LoadFacts) -> [Finding] {
        func obstacle(to operation: LoadFacts.Operation) -> LoadFacts.Obstacle? {
            facts.obstacles.first { obstacle in
                operation.plans.contains { $0.sql == obstacle.sql }
            }
        }
        let slow = facts.operations.filter { operation in
            StatementRules.executesMany(
                steps: Double(operation.steps),
                perSecond: operation.rate
            )
                // A plan does not show the search for the rows of a foreign key.
                && (StatementRules.causes(of: operation.plans.flatMap(\.lines)) != nil
                    || obstacle(to: operation) != nil)
        }
        let shown = slow.sorted { one, other in
            (Double(other.steps) * other.rate, one.client, one.name)
                < (Double(one.steps) * one.rate, other.client, other.name)
        }.prefix(3)
        let explained = shown.flatMap { $0.plans.map(\.sql) }
        let found = shown.map { operation in
            let plan =
                operation.plans.first { StatementRules.causes(of: $0.lines) != nil }
                ?? operation.plans.first
            let causes = plan.flatMap { StatementRules.causes(of: $0.lines) }
            let obstacle = obstacle(to: operation)
            let name = operation.name == operation.client ? "" : ", operation \(operation.name),"
            return Finding(
                .slowStatement,
                "\(operation.client)\(name) executes "
                    + "\(HumanUnits.exact(UInt64(operation.steps), "instruction")) of SQLite's "
                    + "virtual machine per access, \(HumanUnits.rate(operation.rate)): "
                    + "\(plan.map { FindingFacts.quoted($0.sql) } ?? "a statement")"
                    + (causes.map { " \($0)." } ?? ".") + (obstacle.map { " \($0.text)" } ?? ""),
                remedy: obstacle?.remedy
                    ?? "Create an index on the compared columns, followed by the columns of ORDER "
                    + "BY. poolgauge advise finds and measures it."
            )
        }
        let others = facts.obstacles.filter { !explained.contains($0.sql) }.map { obstacle in
            Finding(
                .slowStatement,
                level: .note,
                "\(FindingFacts.quoted(obstacle.sql)): \(obstacle.text)",
                remedy: obstacle.remedy
            )
        }
        return found + others
    }
}
