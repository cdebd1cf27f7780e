import SQLiteEngine

/// The contents of a recording, excluding the payloads of its samples.
package struct RecordingContents: Sendable {
    package var sessions: [RecordedSession] = []
    package var sources: [RecordedSource] = []
    /// The samples, ordered by time.
    package var rows: [RecordedRow] = []
    package var events: [RecordedEvent] = []
    package var gaps: [RecordedGap] = []
    /// The sentences that describe damage to the file.
    package var problems: [String] = []
    /// The names of the tables with damaged rows.
    var damagedTables: [String] = []

    /// Returns the message for a recording from which no samples can be read.
    package func messageWithoutSamples(path: String) -> String {
        if !damagedTables.isEmpty {
            let tables = damagedTables.joined(separator: ", ")
            return "'\(path)' is damaged, and no samples can be read from it (damaged tables: "
                + "\(tables)); use a backup of the recording"
        }
        let reasons = problems.map { " " + $0 }.joined()
        return "'\(path)' contains no samples"
            + (reasons.isEmpty ? "; record for longer" : "." + reasons)
    }

    /// The time of the first sample, in milliseconds since 1970.
    package var start: Int64? { rows.first?.time }

    /// The time of the last sample, in milliseconds since 1970.
    package var end: Int64? { rows.last?.time }

    package func session(of row: RecordedRow) -> RecordedSession? {
        guard sources.indices.contains(row.source) else { return nil }
        let id = sources[row.source].session
        return sessions.first { $0.id == id }
    }

    func kind(of row: RecordedRow) -> RecordedKind? { session(of: row)?.kind }

    /// Returns the index of the first sample at or after a time.
    package func index(at time: Int64) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].time < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Removes the sessions whose kind differs from that of the newest session, and their samples.
    ///
    /// - Returns: The number of removed sessions.
    package mutating func keepNewestKind() -> Int {
        guard let kind = rows.last.flatMap({ self.kind(of: $0) }) else { return 0 }
        let kept = Set(sessions.filter { $0.kind == kind }.map(\.id))
        let isKept = sources.map { kept.contains($0.session) }
        rows.removeAll { !isKept[$0.source] }
        let others = sessions.count { $0.kind != kind }
        sessions.removeAll { $0.kind != kind }
        return others
    }
}

extension RecordingContents {
    static func read(_ db: Database) throws -> RecordingContents {
        var contents = RecordingContents()
        var scan = TableScan(db: db)
        scan.forEach(
            "session",
            "kind, tool, title, scenario, environment, wall_ms, end_ms, end_reason"
        ) { row in
            guard let kind = row.text(1).flatMap(RecordedKind.init), let start = row.time(6)
            else { return false }
            contents.sessions.append(
                RecordedSession(
                    id: row.id,
                    kind: kind,
                    tool: row.text(2) ?? "",
                    title: row.text(3) ?? "",
                    scenario: row.text(4),
                    environment: row.text(5),
                    start: start,
                    end: row.time(7),
                    endReason: row.text(8)
                )
            )
            return true
        }
        var positions: [Int64: Int] = [:]
        scan.forEach("source", "session, name") { row in
            guard let session = row.integer(1), let name = row.text(2) else { return false }
            positions[row.id] = contents.sources.count
            contents.sources.append(RecordedSource(id: row.id, session: session, name: name))
            return true
        }
        scan.forEach(
            "sample",
            "source, time_ms, base, wait_ns, waiting, wal_bytes, busy, saturation, rate"
        ) { row in
            guard let source = row.integer(1).flatMap({ positions[$0] }), let time = row.time(2)
            else { return false }
            var facts = RecordedFacts()
            facts.waitNanoseconds = row.count(4)
            facts.waiting = row.count(5).map { Int($0) }
            facts.walBytes = row.count(6)
            facts.busy = row.count(7)
            facts.saturation = row.real(8)
            facts.rate = row.real(9)
            contents.rows.append(
                RecordedRow(
                    id: row.id,
                    source: source,
                    time: time,
                    base: row.integer(3),
                    facts: facts
                )
            )
            return true
        }
        scan.forEach("event", "time_ms, severity, message") { row in
            guard let time = row.time(1), let message = row.text(3) else { return false }
            contents.events.append(
                RecordedEvent(time: time, severity: row.text(2) ?? "info", message)
            )
            return true
        }
        scan.forEach("gap", "source, start_ms, end_ms, reason") { row in
            guard let start = row.time(2), let end = row.time(3) else { return false }
            let source = row.integer(1).flatMap { positions[$0] }
            contents.gaps.append(
                RecordedGap(
                    source: source.map { contents.sources[$0].name },
                    start: start,
                    end: end,
                    reason: row.text(4) ?? ""
                )
            )
            return true
        }
        contents.problems = scan.problems
        contents.damagedTables = scan.damagedTables
        // A session that was added after the clock was set back may overlap an earlier session.
        if zip(contents.rows, contents.rows.dropFirst()).contains(where: { $0.time > $1.time }) {
            contents.rows.sort { ($0.time, $0.id) < ($1.time, $1.id) }
        }
        return contents
    }
}
