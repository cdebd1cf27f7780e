/// A type that infers the order of transactions from the register values that they wrote and read.
///
/// A register does not retain its earlier values. The order of two values is known if a transaction
/// reads the register before writing it, or if one write started after the other had ended.
struct RegisterInference {
    private let history: History
    private let objects: ObjectAccesses
    private let names: TransactionNames

    /// The maximum number of immediate successors to infer for a value.
    ///
    /// In a serializable register, a value has one successor. With concurrent writes, a value can
    /// have as many successors as there are writers.
    private static let successorLimit = 4

    init(_ history: History, _ objects: ObjectAccesses, _ names: TransactionNames) {
        self.history = history
        self.objects = objects
        self.names = names
    }

    /// Adds the dependencies and anomalies of all registers.
    func infer(_ edges: inout [Dependency], _ log: inout AnomalyLog) {
        for objectIndex in objects.registers.indices { infer(objectIndex, &edges, &log) }
    }

    private func infer(_ objectIndex: Int, _ edges: inout [Dependency], _ log: inout AnomalyLog) {
        let register = objects.registers[objectIndex]
        for read in register.reads { check(read, objectIndex, register, &log) }
        let versions = RegisterVersions(register, history, objects, limit: Self.successorLimit)
        for fork in versions.forks {
            let transactions = fork.map { register.writes[$0].transaction }
            let values = fork.map { "\(names[register.writes[$0].transaction])" }
            log.add(
                .lostUpdate,
                transactions,
                "\(values.joined(separator: " and ")) each read "
                    + "\(register.writes[fork[0]].predecessor.registerText) in "
                    + "\(objects.name(of: .register(objectIndex))), replaced it, and committed"
            )
        }
        let lost = findLost(objectIndex, register, versions, &log)
        for read in register.reads where read.isFirst {
            addEdges(of: read, objectIndex, register, versions, lost, &edges)
        }
    }

    private func check(
        _ read: ObjectAccesses.RegisterRead,
        _ objectIndex: Int,
        _ register: ObjectAccesses.Register,
        _ log: inout AnomalyLog
    ) {
        guard let value = read.value else { return }
        let text =
            "\(names[read.transaction]) read \(value) in \(objects.name(of: .register(objectIndex)))"
        guard let index = register.writers[value] else {
            log.add(.unknownValue, [read.transaction], "\(text), which no transaction wrote")
            return
        }
        let write = register.writes[index]
        guard write.transaction != read.transaction else { return }
        let both = [read.transaction, write.transaction]
        if objects.isAborted(write.transaction) {
            let writer = names[write.transaction]
            log.add(.abortedRead, both, "\(text), which \(writer) wrote before it was rolled back")
        }
        if !write.isFinal {
            let writer = names[write.transaction]
            log.add(
                .intermediateRead,
                both,
                "\(text), which \(writer) replaced in the same transaction"
            )
        }
    }

    /// Reports and returns the committed values that are missing from the register's last read.
    ///
    /// The last read returns an earlier value, even though the commits of these values returned
    /// before the read started.
    private func findLost(
        _ objectIndex: Int,
        _ register: ObjectAccesses.Register,
        _ versions: RegisterVersions,
        _ log: inout AnomalyLog
    ) -> Set<Int64> {
        let last = register.reads.max {
            history.transactions[$0.transaction].begin < history.transactions[$1.transaction].begin
        }
        guard let last else { return [] }
        let start = history.transactions[last.transaction].begin
        var lost: Set<Int64> = []
        for write in versions.writesAfter(last.value) where write.transaction != last.transaction {
            let end = history.transactions[write.transaction].end
            guard end < start else { continue }
            lost.insert(write.value)
            log.add(
                .lostWrite,
                [write.transaction, last.transaction],
                "\(names[write.transaction]) wrote \(write.value) to "
                    + "\(objects.name(of: .register(objectIndex))) and its commit returned "
                    + "\(Time.text(start - end)) before \(names[last.transaction]) began, which "
                    + "read the earlier \(last.value.registerText) there; no later read shows it"
            )
        }
        return lost
    }

    private func addEdges(
        of read: ObjectAccesses.RegisterRead,
        _ objectIndex: Int,
        _ register: ObjectAccesses.Register,
        _ versions: RegisterVersions,
        _ lost: Set<Int64>,
        _ edges: inout [Dependency]
    ) {
        let reader = read.transaction
        if let value = read.value, let index = register.writers[value] {
            let writer = register.writes[index].transaction
            if writer != reader, objects.isCommitted[writer] {
                edges.append(
                    Dependency(
                        from: writer,
                        to: reader,
                        kind: .read,
                        object: .register(objectIndex),
                        value: value
                    )
                )
            }
        }
        for index in versions.successors(of: read.value) {
            let write = register.writes[index]
            let isLost =
                lost.contains(write.value)
                && history.transactions[write.transaction].end < history.transactions[reader].begin
            guard write.transaction != reader, !isLost else { continue }
            edges.append(
                Dependency(
                    from: reader,
                    to: write.transaction,
                    kind: .antidependency,
                    object: .register(objectIndex),
                    value: write.value
                )
            )
        }
    }
}
