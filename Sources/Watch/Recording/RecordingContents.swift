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
            columns: "kind, tool, title, scenario, environment, wall_ms, end_ms, end_reason"
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
        scan.forEach("source", columns: "session, name") { row in
            guard let session = row.integer(1), let name = row.text(2) else { return false }
            positions[row.id] = contents.sources.count
            contents.sources.append(RecordedSource(id: row.id, session: session, name: name))
            return true
        }
        scan.forEach(
            "sample",
            columns: "source, time_ms, base, wait_ns, waiting, wal_bytes, busy, saturation, rate"
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
        scan.forEach("event", columns: "time_ms, severity, message") { row in
            guard let time = row.time(1), let message = row.text(3) else { return false }
            contents.events.append(
                RecordedEvent(time: time, severity: row.text(2) ?? "info", message)
            )
            return true
        }
        scan.forEach("gap", columns: "source, start_ms, end_ms, reason") { row in
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

/// A scan that reads the rows of tables by key, and skips damaged rows.
struct TableScan {
    let db: Database
    /// The sentences that describe damage to the tables.
    private(set) var problems: [String] = []
    /// The names of the tables with damaged rows.
    private(set) var damagedTables: [String] = []

    /// The distance between successive keys to try after a damaged row.
    ///
    /// A damaged page makes dozens of small rows unreadable.
    private static let stride: Int64 = 16
    /// The maximum number of keys to try after a damaged row.
    ///
    /// The distance doubles after every 64 keys, so these keys cover a million rows.
    private static let maximumAttempts = 640

    init(db: Database) { self.db = db }

    /// The values of a row, starting with the key.
    struct Values {
        let row: Row

        var id: Int64 { integer(0) ?? 0 }

        func integer(_ index: Int) -> Int64? {
            if case .int64(let value)? = storage(index) { value } else { nil }
        }

        /// Returns a time in milliseconds since 1970, or `nil` for a time after the year 9999.
        ///
        /// Differences of these times do not overflow.
        func time(_ index: Int) -> Int64? {
            integer(index).flatMap { (0..<253_402_300_800_000).contains($0) ? $0 : nil }
        }

        /// Returns a count of events, bytes, or nanoseconds, or `nil` if sums could overflow.
        func count(_ index: Int) -> UInt64? {
            integer(index).flatMap { (0..<1 << 53).contains($0) ? UInt64($0) : nil }
        }

        func real(_ index: Int) -> Double? {
            switch storage(index) {
            case .double(let value)?: value.isFinite ? value : nil
            case .int64(let value)?: Double(value)
            default: nil
            }
        }

        func text(_ index: Int) -> String? {
            if case .string(let value)? = storage(index) { value } else { nil }
        }

        private func storage(_ index: Int) -> DatabaseValue.Storage? {
            (try? row.decode(DatabaseValue.self, atIndex: index))?.storage
        }
    }

    /// Calls a closure for each row, in the order of the key.
    ///
    /// The closure returns whether the row is valid.
    mutating func forEach(_ table: String, columns: String, _ body: (Values) -> Bool) {
        // The `payload` table's key is not named `id`, but the key of each table is its rowid.
        let sql = "SELECT rowid, \(columns) FROM \(table) WHERE rowid > ? ORDER BY rowid"
        var last: Int64 = 0
        var invalid = 0
        var damagedAfter: Int64?
        var attempts = 0
        while attempts < Self.maximumAttempts {
            do {
                let cursor = try Row.fetchCursor(
                    db,
                    sql: sql,
                    arguments: [last]
                )
                while let row = try cursor.next() {
                    let values = Values(row: row)
                    // In a damaged page, keys may be out of order.
                    guard values.id > last else {
                        invalid += 1
                        continue
                    }
                    last = values.id
                    attempts = 0
                    if !body(values) { invalid += 1 }
                }
                break
            } catch {
                damagedAfter = damagedAfter ?? last
                attempts += 1
                last += Self.stride << (attempts / 64)
            }
        }
        if let damagedAfter {
            damagedTables.append(table)
            problems.append(
                "The table '\(table)' is damaged after row \(damagedAfter); its intact rows are "
                    + "shown."
            )
        } else if invalid > 0 {
            problems.append(
                invalid == 1
                    ? "1 row of the table '\(table)' is invalid and is omitted."
                    : "\(invalid) rows of the table '\(table)' are invalid and are omitted."
            )
        }
    }
}

/// A sample of a recording, without its payload.
package struct RecordedRow: Sendable, Equatable {
    package var id: Int64
    /// The index of the source in ``Recording/sources``.
    package var source: Int
    /// The time, in milliseconds since 1970.
    package var time: Int64
    /// The identifier of the base sample of this sample's payload, or `nil` for a complete payload.
    var base: Int64?
    package var facts: RecordedFacts
}

/// A session of a recording.
package struct RecordedSession: Sendable, Equatable {
    package var id: Int64
    package var kind: RecordedKind
    package var tool: String
    package var title: String
    package var scenario: String?
    package var environment: String?
    /// The start, in milliseconds since 1970.
    package var start: Int64
    /// The end, in milliseconds since 1970, or `nil` if the recorder was killed or is still
    /// running.
    package var end: Int64?
    package var endReason: String?
}

/// The source of samples, which is an arm, a database, or an agent.
package struct RecordedSource: Sendable, Equatable {
    package var id: Int64
    package var session: Int64
    package var name: String
}

/// An event that a run reported, or for which an ``EpisodeRecorder`` recorded.
package struct RecordedEvent: Sendable, Equatable {
    /// The severity of an event for which an ``EpisodeRecorder`` recorded.
    static let trigger = "trigger"

    /// The time, in milliseconds since 1970.
    package var time: Int64
    package var severity: String
    package var message: String

    init(time: Int64, severity: String, _ message: String) {
        self.time = time
        self.severity = severity
        self.message = message
    }
}

/// A period without data.
package struct RecordedGap: Sendable, Equatable {
    /// The name of the source without data, or `nil` for all sources.
    package var source: String?
    /// The start, in milliseconds since 1970.
    package var start: Int64
    /// The end, in milliseconds since 1970.
    package var end: Int64
    package var reason: String
}

/// A condition on samples, for which a replay searches.
package enum RecordedCondition: Sendable, Equatable {
    /// The connections were saturated for at least this share of time.
    case saturation(Double)
    /// An access or a process waited for at least this time, in nanoseconds.
    case wait(UInt64)
    /// The log has at least this size, in bytes.
    case log(UInt64)
    /// An access received `SQLITE_BUSY` or encountered a lock.
    case busy

    func isMet(by facts: RecordedFacts) -> Bool {
        switch self {
        case .saturation(let share): (facts.saturation ?? 0) >= share
        case .wait(let nanoseconds): (facts.waitNanoseconds ?? 0) >= nanoseconds
        case .log(let bytes): (facts.walBytes ?? 0) >= bytes
        case .busy: (facts.busy ?? 0) > 0
        }
    }
}

extension RecordingContents {
    /// Returns the time of the nearest sample, after or before `time`, at which a source starts to
    /// meet a condition.
    ///
    /// Times are in milliseconds since 1970. The result is `nil` if there is no such sample.
    package func start(
        of condition: RecordedCondition,
        _ direction: Direction,
        _ time: Int64
    ) -> Int64? {
        switch direction {
        case .after:
            return (index(at: time + 1)..<rows.count).first { starts(condition, at: $0) }
                .map { rows[$0].time }
        case .before:
            return (0..<index(at: time)).last { starts(condition, at: $0) }.map { rows[$0].time }
        }
    }

    package enum Direction: Sendable {
        case after
        case before
    }

    /// Returns whether a sample meets a condition that the source's previous sample does not meet.
    private func starts(_ condition: RecordedCondition, at index: Int) -> Bool {
        guard condition.isMet(by: rows[index].facts) else { return false }
        var before = index - 1
        while before >= 0 {
            if rows[before].source == rows[index].source {
                return !condition.isMet(by: rows[before].facts)
            }
            before -= 1
        }
        return true
    }

    /// The shortest period without samples that counts as a gap, in milliseconds.
    private static let shortestGap: Int64 = 3_000

    /// Returns the periods without samples, ordered by start.
    ///
    /// These are the recorded gaps, the periods between sessions, and unusually long periods
    /// without a sample within a session.
    package func allGaps() -> [RecordedGap] {
        var found = gaps
        var last: [Int64: Int64] = [:]
        var previous: (session: RecordedSession, time: Int64)?
        let limits = gapLimits()
        for row in rows {
            guard let session = session(of: row) else { continue }
            if let previous, previous.session.id != session.id, last[session.id] == nil {
                let reason = previous.session.endReason ?? "the recorder was killed"
                found.append(
                    RecordedGap(
                        start: previous.time,
                        end: row.time,
                        reason: "between two sessions: \(reason)"
                    )
                )
            }
            if let before = last[session.id],
                row.time - before > limits[session.id] ?? Self.shortestGap
            {
                let isKnown = gaps.contains { $0.start < row.time && before < $0.end }
                if !isKnown {
                    found.append(
                        RecordedGap(start: before, end: row.time, reason: "there is no sample")
                    )
                }
            }
            last[session.id] = row.time
            previous = (session, row.time)
        }
        return found.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    /// Returns the maximum time between two samples that is not a gap, in milliseconds, keyed by
    /// the identifier of the session.
    private func gapLimits() -> [Int64: Int64] {
        var distances: [Int64: [Int64]] = [:]
        var last: [Int64: Int64] = [:]
        for row in rows {
            guard sources.indices.contains(row.source) else { continue }
            let session = sources[row.source].session
            if let before = last[session], row.time > before {
                distances[session, default: []].append(row.time - before)
            }
            last[session] = row.time
        }
        return distances.mapValues { distances in
            let median = distances.sorted()[distances.count / 2]
            return max(Self.shortestGap, 5 * median)
        }
    }
}
