import Text

/// The rules about the effective settings of connections and about copies of SQLite.
package enum SettingRules {
    /// Returns a number of connections, such as `3 connections`.
    private static func counted(_ count: Int) -> String {
        HumanUnits.counted(count, "connection", "connections")
    }

    /// Returns the program of a connection, without the process ID.
    private static func program(_ connection: WatchedConnection) -> String {
        connection.name ?? "process \(connection.pid)"
    }

    // MARK: Pragmas

    /// Pragmas that a connection executed without an error, but that are not in force on it.
    static func inactivePragmas(_ facts: FindingFacts) -> [Finding] {
        let all = (facts.report.connections ?? []).flatMap { connection in
            connection.pragmas.filter { $0.isActive == false }.compactMap { pragma in
                ConnectionSetting(rawValue: pragma.name).flatMap { setting in
                    setting.words(connection.settings).map { (connection, pragma, $0) }
                }
            }
        }
        let groups = Dictionary(grouping: all) { "\($0.1.name) \($0.1.value) \($0.2)" }
        return groups.sorted { $0.key < $1.key }.compactMap { _, group in
            guard let (first, pragma, value) = group.first else { return nil }
            return Finding(
                .inactivePragma,
                pid: Set(group.map(\.0.pid)).count == 1 ? first.pid : nil,
                "PRAGMA \(pragma.name) = \(pragma.value) was executed without an error on "
                    + "\(counted(group.count)) of \(facts.names(group.map(\.0.pid))), but is not "
                    + "in force: \(pragma.name) is \(value).",
                remedy: reason(pragma.name)
            )
        }
    }

    private static func reason(_ name: String) -> String {
        switch ConnectionSetting(rawValue: name) {
        case .foreignKeys:
            "PRAGMA foreign_keys has no effect inside a transaction: execute it before BEGIN, and "
                + "check it by reading it back."
        case .journalMode:
            "The pragma returns the mode that is in force: check it. In WAL mode, only DELETE, "
                + "TRUNCATE, PERSIST, MEMORY, and OFF end it, while no other connection is open."
        default: "Read the pragma back after setting it, and look for a later change."
        }
    }

    // MARK: Differences

    /// The settings in which connections that write, and all connections, should agree.
    private static let ofWriters: [ConnectionSetting] = [
        .synchronous, .foreignKeys, .autocheckpoint,
    ]
    private static let ofAll: [ConnectionSetting] = [
        .busyTimeout, .journalMode, .lockingMode, .cacheSize, .mmapSize,
    ]

    /// Connections of one program whose settings differ.
    static func differences(_ facts: FindingFacts) -> [Finding] {
        let programs = Dictionary(grouping: facts.report.connections ?? [], by: program)
        return programs.sorted { $0.key < $1.key }.compactMap { name, connections in
            let writing = connections.filter {
                $0.settings.isReadOnly == false && $0.settings.isQueryOnly == false
            }
            let reading = connections.filter {
                $0.settings.isReadOnly == true || $0.settings.isQueryOnly == true
            }
            // Readers often have other settings for a reason.
            let found = [(writing, ofAll + ofWriters), (reading, ofAll)].flatMap {
                group,
                settings in
                settings.compactMap { difference($0, connections: group) }
            }
            guard !found.isEmpty else { return nil }
            let pids = Set(connections.map(\.pid))
            return Finding(
                .settings,
                level: .note,
                pid: pids.count == 1 ? pids.first : nil,
                "The connections of \(name) differ: \(found.prefix(3).joined(separator: "; ")).",
                remedy: "Most settings belong to one connection: set them on each connection, "
                    + "where the program or its pool opens it."
            )
        }
    }

    /// Returns how connections differ in a setting, or `nil` if they do not.
    private static func difference(
        _ setting: ConnectionSetting,
        connections: [WatchedConnection]
    ) -> String? {
        let groups = Dictionary(
            grouping: connections.filter { setting.words($0.settings) != nil }
        ) { setting.words($0.settings) ?? "" }
        guard groups.count > 1 else { return nil }
        let sorted = groups.sorted { ($0.value.count, $1.key) > ($1.value.count, $0.key) }
        let parts = sorted.prefix(3).map { value, group in
            let isPragma = group.allSatisfy { connection in
                connection.pragmas.contains { $0.name == setting.rawValue && $0.isActive == true }
            }
            return "\(value) (\(counted(group.count))\(isPragma ? ", by PRAGMA" : ""))"
        }
        return "\(setting.rawValue) is " + parts.joined(separator: " or ")
    }

    // MARK: Timeouts

    static let timeoutRemedy = "PRAGMA busy_timeout on each connection."

    /// Connections without a busy timeout, while several processes use the database.
    static func missingTimeouts(_ facts: FindingFacts) -> [Finding] {
        let isWAL = facts.report.file.journalMode == .wal
        let connections = (facts.report.connections ?? []).filter { connection in
            connection.settings.busyTimeoutMilliseconds == 0
                // Readers of a log hardly ever wait.
                && (connection.hasWritten || !isWAL)
                && !facts.explained.contains(connection.pid)
        }
        guard let first = connections.first, facts.report.processes.count > 1 else { return [] }
        let pids = Set(connections.map(\.pid))
        return [
            Finding(
                .noTimeout,
                level: .note,
                pid: pids.count == 1 ? first.pid : nil,
                "\(counted(connections.count)) of \(facts.names(pids)) "
                    + (connections.count == 1 ? "has" : "have")
                    + " no busy timeout, and \(facts.report.processes.count) processes use the "
                    + "database: a statement that meets a lock fails at once.",
                remedy: timeoutRemedy
            )
        ]
    }

    // MARK: Memory

    /// The share of the memory that caches may use.
    private static let memoryShare = 0.25

    /// Caches that may use a large part of the memory.
    static func cacheMemory(_ facts: FindingFacts) -> [Finding] {
        guard let pageSize = facts.report.file.pageSize else { return [] }
        let memory = (facts.report.copies ?? []).reduce(into: [Int32: UInt64]()) {
            $0[$1.pid] = $1.memoryBytes
        }
        let groups = Dictionary(grouping: facts.report.connections ?? []) { memory[$0.pid] }
        return groups.compactMap { limit, connections -> Finding? in
            guard let limit, limit > 0 else { return nil }
            var caches = connections.filter { $0.settings.sharesCache != true }
            let shared = Dictionary(
                grouping: connections.filter { $0.settings.sharesCache == true },
                by: \.pid
            )
            caches += shared.values.compactMap(\.first)
            let bytes = caches.compactMap { $0.cacheBytes(pageSize: pageSize) }.reduce(0, +)
            guard bytes > memoryShare * Double(limit) else { return nil }
            return Finding(
                .cacheMemory,
                "The caches of \(counted(caches.count)) of "
                    + "\(facts.names(Set(caches.map(\.pid)))) may use "
                    + "\(HumanUnits.bytes(UInt64(min(bytes, 1e18)))) in all, of "
                    + "\(HumanUnits.bytes(limit)) of memory.",
                remedy: "PRAGMA cache_size applies to each connection: divide it by their number."
            )
        }
    }

    // MARK: Copies

    /// Two copies of SQLite in one process that have the file open.
    static func twoCopies(_ facts: FindingFacts) -> [Finding] {
        let processes = Dictionary(grouping: facts.report.copies ?? [], by: \.pid)
        return processes.sorted { $0.key < $1.key }.compactMap { process, copies in
            guard copies.count > 1 else { return nil }
            let names = copies.map(\.library).sorted().joined(separator: " and ")
            return Finding(
                .twoCopies,
                level: .alarm,
                pid: process,
                "\(facts.name(process)) has the database open in \(copies.count) copies of "
                    + "SQLite: \(names). When one copy closes the file, the system releases the "
                    + "locks of the other one, which can corrupt the database.",
                remedy: "Use one copy of SQLite in a process "
                    + "(https://sqlite.org/howtocorrupt.html, section 2.2.1)."
            )
        }
    }

    static let resetBugText =
        "up to 3.51.2, two connections that write or checkpoint at the same moment can, very rarely, "
        + "corrupt the database."
    static let resetBugRemedy =
        "Use 3.51.3, 3.50.7, or 3.44.6, or later, unless your distribution has mended its version "
        + "(https://sqlite.org/wal.html#the_wal_reset_bug)."

    /// Several connections that write in WAL mode, with a version that can corrupt the database.
    static func resetBug(_ facts: FindingFacts) -> [Finding] {
        guard facts.report.file.journalMode == .wal else { return [] }
        let writing = (facts.report.connections ?? []).filter(\.hasWritten)
        let copies = (facts.report.copies ?? []).filter { copy in
            copy.version.map(hasResetBug) ?? false
                && writing.contains { $0.pid == copy.pid && $0.library == copy.library }
        }
        guard writing.count > 1, let first = copies.first, let version = first.version else {
            return []
        }
        return [
            Finding(
                .resetBug,
                level: .note,
                "\(counted(writing.count)) write in WAL mode, and \(facts.names(copies.map(\.pid))) "
                    + (Set(copies.map(\.pid)).count == 1 ? "uses" : "use")
                    + " SQLite \(version): \(resetBugText)",
                remedy: resetBugRemedy
            )
        ]
    }

    /// Returns whether a version has the bug, unless its distributor has mended it.
    package static func hasResetBug(_ version: String) -> Bool {
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 3, numbers[0] == 3 else { return false }
        switch numbers[1] {
        case 44: return numbers[2] < 6
        case 50: return numbers[2] < 7
        case 51: return numbers[2] < 3
        default: return (7...50).contains(numbers[1])
        }
    }
}
