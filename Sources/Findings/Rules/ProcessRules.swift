/// The rules about how processes use their connections and descriptors.
enum ProcessRules {
    static func inheritedConnections(_ facts: FindingFacts) -> [Finding] {
        let heirs = facts.report.processes.filter { $0.sharesConnectionWith != nil }
        guard let first = heirs.first, let source = first.sharesConnectionWith else { return [] }
        return [
            Finding(
                .inheritedConnection,
                level: .note,
                pid: first.pid,
                "\(facts.names(heirs.map(\.pid))) \(heirs.count == 1 ? "has" : "have") a connection "
                    + "that was opened before fork, in common with "
                    + "\(facts.names(Set(heirs.compactMap(\.sharesConnectionWith)).union([source])))"
                    + ". SQLite does not support its use in more than one of them, which can "
                    + "corrupt the database.",
                remedy: "Close the connections before fork, and open a new one in each child "
                    + "process (https://sqlite.org/howtocorrupt.html, section 2.6)."
            )
        ]
    }

    static func otherDescriptors(_ facts: FindingFacts) -> [Finding] {
        let processes = facts.report.processes.filter { $0.otherDescriptors ?? 0 > 0 }
        guard let first = processes.first else { return [] }
        return [
            Finding(
                .otherDescriptors,
                level: .note,
                pid: first.pid,
                "\(facts.names(processes.map(\.pid))) \(processes.count == 1 ? "has" : "have") the "
                    + "database file open outside SQLite, too. Closing that descriptor releases "
                    + "the locks of all its connections, and another process can then overwrite "
                    + "what they read or write.",
                remedy: "Read the database through SQLite only, or from another process "
                    + "(https://sqlite.org/howtocorrupt.html, section 2.2)."
            )
        ]
    }

    /// Processes of one program whose parent has ended.
    static func orphans(_ facts: FindingFacts) -> [Finding] {
        // In a container, process 1 is often the program itself.
        guard facts.process(1) == nil else { return [] }
        let programs = Dictionary(grouping: facts.report.processes) { process in
            process.name.split(separator: " ").prefix(2).joined(separator: " ")
        }
        return programs.sorted { $0.key < $1.key }.compactMap { name, processes in
            let orphans = processes.filter { $0.isOrphan == true }
            guard orphans.count > 1 else { return nil }
            return Finding(
                .orphans,
                level: .note,
                pid: orphans[0].pid,
                "The parents of \(orphans.count) of \(processes.count) processes of \(name) have "
                    + "ended: \(facts.names(orphans.map(\.pid))). They may be leftovers.",
                remedy: "End them if nothing needs them: each one can hold locks and keep the log "
                    + "from being reset."
            )
        }
    }
}
