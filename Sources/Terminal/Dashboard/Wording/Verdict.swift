import Telemetry
import TerminalUI
import Text

struct Verdict: Equatable {
    enum Level: Equatable {
        /// No verdict is available yet.
        case neutral
        /// The run has no problem.
        case good
        /// Some accesses wait.
        case strained
        /// The pool or queue is saturated.
        case bad

        /// The mark, with glyphs that are also distinct in ASCII.
        var mark: (glyph: String, role: Role) {
            switch self {
            case .neutral: ("·", .dim)
            case .good: ("✔", .ok)
            case .strained: ("▲", .warning)
            case .bad: ("✖", .error)
            }
        }
    }

    var level: Level
    /// Alternative beginnings of the sentence, longest first.
    var heads: [String]
    /// Optional parts of the sentence, most important first.
    ///
    /// Each part has alternative texts, longest first.
    var parts: [[String]]

    /// Returns the longest beginning that fits, followed by as many parts as fit.
    func text(fitting width: Int, isASCII: Bool) -> String {
        func fits(_ text: String) -> Bool { CellText.width(of: text, isASCII: isASCII) <= width }
        var text = heads.first(where: fits) ?? heads.last ?? ""
        for part in parts {
            guard let longer = part.map({ text + "; " + $0 }).first(where: fits) else { break }
            text = longer
        }
        return text
    }

    /// The period that a verdict covers, in seconds.
    static let seconds = 10.0

    init(_ history: History) {
        guard let sample = history.displayedSample else {
            self.init(level: .neutral, heads: ["Waiting for the first sample"])
            return
        }
        if sample.program?.isConnected == false {
            self.init(
                level: .bad,
                heads: [
                    "The program does not respond; the display continues when its agent is found "
                        + "again",
                    "The program does not respond",
                ]
            )
            return
        }
        let verdict = Self.assessment(of: sample, history: history)
        switch sample.state {
        case .preparing:
            self.init(level: .neutral, heads: ["Building the dataset"])
        case .running:
            self = verdict
        case .paused:
            self = verdict.following("The load is paused")
        case .draining:
            self.init(
                level: .neutral,
                heads: [
                    "The load has ended; waiting for running accesses", "The load has ended",
                ]
            )
        case .finished:
            // The verdict on a run that has ended covers all recorded data.
            let assessment = Self.assessment(
                of: sample,
                history: history,
                seconds: .greatestFiniteMagnitude
            )
            self = assessment.prefixed(with: "Finished after \(HumanUnits.seconds(sample.time))")
        }
    }

    private init(level: Level, heads: [String], parts: [[String]] = []) {
        self.level = level
        self.heads = heads
        self.parts = parts
    }

    /// Returns the verdict preceded by a description of the run's state.
    private func prefixed(with state: String) -> Verdict {
        let heads = heads.map { "\(state): " + $0.prefix(1).lowercased() + $0.dropFirst() }
        return Verdict(level: level, heads: heads + [state], parts: parts)
    }

    /// Returns the verdict as a separate sentence after a description of the run's state.
    private func following(_ state: String) -> Verdict {
        Verdict(level: level, heads: heads.map { "\(state). \($0)" } + [state], parts: parts)
    }

    private static func assessment(
        of sample: Sample,
        history: History,
        seconds: Double = Verdict.seconds
    ) -> Verdict {
        let database = sample.database
        let isQueue = database.readers == nil
        let saturation = history.saturation(over: seconds) ?? 0
        let moments = history.moments
        let recordedSeconds = history.now - (moments.count > 0 ? moments[0].time : 0)
        let span = Int(max(1, min(seconds, recordedSeconds.rounded(.up), 1e6)))
        // Mention the whole run if its start is still recorded.
        let coversRun = history.isOver && recordedSeconds > history.now - 1
        let period = coversRun ? "the run" : "the last \(span) s"
        let subject = isQueue ? "Queue" : "Pool"
        if saturation >= 0.01 {
            let share = HumanUnits.percent(saturation)
            let waits =
                waiting(database, includesWriters: isQueue).map { ": \($0)" }
                ?? (history.isOver ? "; " : ": ")
                + peak(history, seconds: seconds, isQueue: isQueue)
            return Verdict(
                level: saturation >= 0.25 ? .bad : .strained,
                heads: [
                    "\(subject) saturated \(share) of \(period)\(waits)",
                    "Saturated \(share) of \(coversRun ? period : "\(span) s")\(waits)",
                    "Saturated \(share) of \(period)",
                ],
                parts: [
                    longestHold(database), writers(database, isQueue: isQueue).map { [$0] },
                ].compactMap(\.self)
            )
        }
        if let queue = writers(database, isQueue: isQueue) {
            let hold = longestHold(database)
            return Verdict(
                level: .strained,
                heads: ["Writes queue: \(queue)", "Writes queue"],
                parts: [hold].compactMap(\.self)
            )
        }
        if sample.hidesConnections, isQueue {
            let waits = sample.hidesWaits ? "nor its waits" : nil
            return Verdict(
                level: .neutral,
                heads: [
                    waits.map { "The program reports neither its connections \($0)" }
                        ?? "No waiters: the program does not report its connections",
                    waits == nil ? "No waiters" : "Connections and waits unknown",
                ]
            )
        }
        let mean = history.inUse(over: seconds) ?? 0
        let average = HumanUnits.decimal(max(0, mean), places: 1)
        let use =
            database.readers.map {
                "\(average) of \(counted($0.maximum)) in use on average"
            } ?? "the connection is in use \(HumanUnits.percent(min(mean, 1))) of the time"
        let pin = WALWords.pin(database.wal).map { "the log \($0)" }
        return Verdict(
            level: history.isOver && history.peaks.accesses.waitingWriters > 1 ? .strained : .good,
            heads: heads(of: history, use),
            parts: [longestHold(database), pin.map { [$0] }].compactMap(\.self)
        )
    }

    /// Returns text such as `No waiters: 1.2 of 4 in use on average`.
    ///
    /// After the run, the text contains the maximum number of waiters.
    private static func heads(of history: History, _ use: String) -> [String] {
        guard history.isOver else {
            let waits = history.hidesWaits ? "Waits unknown" : "No waiters"
            return ["\(waits): \(use)", waits]
        }
        let peaks = history.peaks.accesses.sentence
        return ["\(peaks); \(use)", peaks]
    }

    /// Returns text such as `no waiters now; up to 6 earlier`.
    ///
    /// After the run, the text contains the maximum number of waiters.
    private static func peak(_ history: History, seconds: Double, isQueue: Bool) -> String {
        if history.isOver {
            let peaks = history.peaks.accesses.sentence
            return peaks.prefix(1).lowercased() + peaks.dropFirst()
        }
        let peak = history.maximum(over: seconds) {
            $0.waitingReaders + (isQueue ? $0.waitingWriters : 0)
        }
        guard let peak, peak >= 1 else { return "no waiters now" }
        let count = HumanUnits.count(UInt64(min(peak, 1e9)))
        return "no waiters now; up to \(count) earlier"
    }

    /// Returns text such as `6 reads wait, oldest ui 12.3 ms`, or `nil` if no access waits.
    private static func waiting(_ database: DatabaseStatus, includesWriters: Bool) -> String? {
        let readers = database.waitingReaders
        let writers = includesWriters ? database.waitingWriters : []
        let oldest = (readers + writers).max { $0.waitedNanoseconds < $1.waitedNanoseconds }
        guard let oldest else { return nil }
        var counts: [String] = []
        if !readers.isEmpty { counts.append(HumanUnits.counted(readers.count, "read", "reads")) }
        if !writers.isEmpty { counts.append(HumanUnits.counted(writers.count, "write", "writes")) }
        let verb = readers.count + writers.count == 1 ? "waits" : "wait"
        let age = HumanUnits.duration(nanoseconds: oldest.waitedNanoseconds)
        return "\(counts.joined(separator: " and ")) \(verb), oldest \(oldest.origin.name) \(age)"
    }

    /// Returns text about waits for a pool's writer, such as `3 writes wait, oldest pay 12.3 ms`.
    private static func writers(_ database: DatabaseStatus, isQueue: Bool) -> String? {
        guard !isQueue, let oldest = database.waitingWriters.first else { return nil }
        let count = database.waitingWriters.count
        let age = HumanUnits.duration(nanoseconds: oldest.waitedNanoseconds)
        let writes = HumanUnits.counted(count, "write waits", "writes wait")
        return "\(writes), oldest \(oldest.origin.name) \(age)"
    }

    /// Returns equivalent texts, longest first, such as `report holds 1 of 4 readers (3.41 s)`, or
    /// `nil` if all holds are short.
    private static func longestHold(_ database: DatabaseStatus) -> [String]? {
        let heldConnections = database.connections.filter {
            $0.role != .snapshot && $0.state != .idle
        }
        let longest = heldConnections.max { ($0.heldNanoseconds ?? 0) < ($1.heldNanoseconds ?? 0) }
        guard let longest, let holder = longest.holder,
            let time = longest.heldNanoseconds, time >= 100_000_000
        else { return nil }
        let age = HumanUnits.duration(nanoseconds: time)
        switch longest.role {
        case .queue, .snapshot:
            // The subject of the shorter text is the queue or its connection.
            return [
                "\(holder.name) has held the connection for \(age)",
                "held by \(holder.name) for \(age)",
            ]
        case .writer: return ["\(holder.name) holds the writer (\(age))"]
        case .reader:
            let heldReaders = heldConnections.count { $0.role == .reader && $0.holder == holder }
            let maximum = database.readers.map(\.maximum) ?? heldReaders
            return ["\(holder.name) holds \(heldReaders) of \(counted(maximum)) (\(age))"]
        }
    }

    private static func counted(_ readers: Int) -> String {
        HumanUnits.counted(readers, "reader", "readers")
    }
}
