import Findings
import SQLiteWatch

/// The data of one database: the displayed report and the recorded series.
///
/// The displayed report is the newest report, or an earlier report that the user selected. A
/// history stores at most 1,200 reports and 512 lanes. ``setBudget(_:)`` limits the size of the
/// reports.
struct WatchHistory: Sendable, Timeline {
    /// The maximum number of reports: five minutes at four reports per second.
    static let capacity = 1_200
    /// The limit on the total size of the reports of all databases, in bytes.
    static let budget = 32 << 20
    /// The period over which shares are calculated, in seconds.
    static let shareSeconds = 10.0
    /// The period over which rates are calculated, in seconds.
    static let rateSeconds = 2.0
    private static let laneLimit = 512

    /// The path of the database, as in its reports.
    let path: String
    /// The displayed report, with escaped text and without episodes.
    private(set) var report: WatchReport?
    /// The index in ``moments`` of the displayed earlier report, or `nil` for the newest report.
    private(set) var cursor: Int?
    /// The values for charts, newest last.
    private(set) var moments = RingBuffer<WatchMoment>(capacity: Self.capacity)
    /// One lane for each process, in the order of their first reports.
    private(set) var lanes: [WatchLane] = []
    /// The processes at the displayed moment, in the order of the process table.
    private(set) var rows: [WatchRow] = []
    private var reports = BoundedStore<WatchReport>(capacity: Self.capacity, budget: Self.budget) {
        Self.size(of: $0)
    }
    private var allEpisodes: [WatchEpisode] = []

    var isOver: Bool { false }

    init(path: String) { self.path = path }

    /// Adds a report.
    ///
    /// `time` is in seconds since the first report of the session.
    mutating func append(_ report: WatchReport, time: Double) {
        var report = report.escaped()
        let time = max(time, newestTime)
        allEpisodes = report.episodes
        report.episodes = []
        moments.append(WatchMoment(report, time: time))
        reports.append(report)
        appendLanes(report, time: time)
        self.report = report
        rows = makeRows()
    }

    /// The approximate size of the reports, in bytes.
    var reportBytes: Int { reports.bytes }

    /// Sets the limit on the total size of this database's reports, in bytes.
    mutating func setBudget(_ bytes: Int) { reports.budget = bytes }

    /// Displays the report at an index in ``moments``, or the nearest recorded report.
    mutating func show(at position: Int) {
        let bounded = min(max(position, reports.firstStoredIndex), moments.count - 1)
        guard bounded >= 0, let report = reports[bounded] else { return }
        cursor = bounded
        self.report = report
        rows = makeRows()
    }

    /// The episodes up to the displayed moment, as of that moment, latest first.
    var episodes: [WatchEpisode] {
        guard cursor != nil, let now = report?.time else { return allEpisodes }
        return allEpisodes.filter { $0.start <= now }.map { episode in
            var episode = episode
            if let end = episode.end, end <= now { return episode }
            episode.end = nil
            episode.seconds = Double(now.milliseconds - episode.start.milliseconds) / 1000
            return episode
        }
    }

    /// Returns the lanes of the processes that used the database in the displayed window.
    func lanes(in seconds: Double) -> [WatchLane] {
        let end = windowEnd(seconds)
        return lanes.filter { $0.lastSeen >= end - seconds && $0.firstSeen <= end }
    }

    /// Returns the sum of a value over the last `seconds`, and the total length, in seconds, of the
    /// intervals in which the value is finite.
    func sum(over seconds: Double, _ value: (WatchMoment) -> Double) -> (Double, seconds: Double) {
        var sum = 0.0
        var length = 0.0
        visitMoments(last: seconds) { _, moment in
            let value = value(moment)
            guard value.isFinite else { return }
            sum += value
            length += moment.seconds
        }
        return (sum, length)
    }

    /// Returns the rate of a value over ``rateSeconds``, per second.
    func rate(_ value: (WatchMoment) -> Double) -> Double {
        let (sum, seconds) = sum(over: Self.rateSeconds, value)
        return seconds > 0 ? sum / seconds : 0
    }

    /// The actual period of the shares, in seconds.
    ///
    /// Initially, it is shorter than ``shareSeconds``.
    var coveredSeconds: Double {
        min(Self.shareSeconds, max(1, sum(over: Self.shareSeconds) { _ in 0 }.seconds.rounded()))
    }

    /// Visits the moments of the last `seconds` with their indices, newest first.
    private func visitMoments(last seconds: Double, _ body: (Int, WatchMoment) -> Void) {
        var index = cursor ?? moments.count - 1
        guard index >= 0 else { return }
        let now = moments[index].time
        while index >= 0, moments[index].time > now - seconds || index == cursor {
            body(index, moments[index])
            index -= 1
        }
    }

    /// Visits the recorded reports of the last `seconds`, newest first.
    func visitReports(last seconds: Double, _ body: (WatchReport) -> Void) {
        visitMoments(last: seconds) { position, _ in
            if let report = reports[position] { body(report) }
        }
    }

    private mutating func appendLanes(_ report: WatchReport, time: Double) {
        let pins = Set(report.pins.filter(\.isLong).map(\.pid))
        var remaining: [Int32: WatchedProcess] = [:]
        for process in report.processes { remaining[process.pid] = process }
        for index in lanes.indices {
            guard let process = remaining.removeValue(forKey: lanes[index].pid) else {
                lanes[index].points.append(.absent)
                continue
            }
            lanes[index].name = process.name
            lanes[index].lastSeen = time
            lanes[index].points.append(Self.point(process, pins: pins))
        }
        for process in report.processes where remaining[process.pid] != nil {
            remaining[process.pid] = nil
            var lane = WatchLane(
                pid: process.pid,
                name: process.name,
                firstSeen: time,
                lastSeen: time
            )
            lane.points.append(Self.point(process, pins: pins))
            lanes.append(lane)
        }
        let oldest = moments.count > 0 ? moments[0].time : time
        lanes.removeAll { $0.lastSeen < oldest }
        if lanes.count > Self.laneLimit { lanes.removeFirst(lanes.count - Self.laneLimit) }
    }

    private static func point(_ process: WatchedProcess, pins: Set<Int32>) -> WatchLane.Point {
        WatchLane.Point(
            state: WatchLaneState(process, isPinning: pins.contains(process.pid)),
            writer: Float(process.share.writer.value),
            reader: Float(process.share.reader.value),
            checkpoint: Float(process.share.checkpoint.value),
            cpuShare: process.processorShare.map(Float.init) ?? -1
        )
    }

    private static func size(of report: WatchReport) -> Int {
        let locks = report.processes.reduce(0) { $0 + $1.locks.count }
        return MemoryLayout<WatchReport>.stride + report.verdict.text.utf8.count * 2
            + size(of: report.processes) { [$0.name, $0.user, $0.commandLine] }
            + locks * MemoryLayout<WatchedLock>.stride
            + report.pins.count * MemoryLayout<WatchedPin>.stride
            + report.tables.count * (MemoryLayout<WatchedTable>.stride + 32)
            + size(of: report.notes) { [$0] }
            + report.findings.count * 512 + statementSize(of: report)
    }

    /// Returns the size of the elements of an array with their texts.
    private static func size<Item>(of items: [Item]?, texts: (Item) -> [String?]) -> Int {
        (items ?? []).reduce(0) { sum, item in
            texts(item).reduce(sum + MemoryLayout<Item>.stride) { $0 + ($1?.utf8.count ?? 0) }
        }
    }

    private static func statementSize(of report: WatchReport) -> Int {
        func texts(_ block: WatchedBlock) -> [String?] {
            let by = block.by
            return [block.name, block.sql, by?.name, by?.sql, by?.gapAfter, by?.gapBefore]
        }
        let statements = (report.statements ?? []).reduce(0) {
            $0 + $1.pids.count * 4 + size(of: $1.plan) { [$0] } + size(of: $1.values) { [$0] }
                + size(of: $1.failures) { [$0.code] }
        }
        return statements
            + size(of: report.statements) {
                [$0.sql, $0.upgradeAfter, $0.repeated?.after, $0.proposedIndex]
            }
            + size(of: report.transactions) { [$0.name, $0.sql, $0.gapAfter, $0.gapBefore] }
            + size(of: report.current) { [$0.sql] }
            + size(of: report.blocked, texts: texts) + size(of: report.waits) { texts($0.longest) }
            + size(of: report.connections) { [$0.name, $0.library, $0.running?.sql] }
            + (report.connections ?? []).reduce(0) { $0 + size(of: $1.pragmas) { [$0.value] } }
            + size(of: report.copies) { [$0.name, $0.library, $0.sourceID] }
    }

    // MARK: Rows

    /// Returns the processes in descending order of the extent to which they block other processes.
    ///
    /// The order depends on shares over several seconds, rounded to coarse steps. Otherwise, rows
    /// would move each time a lock is acquired or released.
    private func makeRows() -> [WatchRow] {
        guard let report else { return [] }
        var laneIndexes: [Int32: Int] = [:]
        for (position, lane) in lanes.enumerated() { laneIndexes[lane.pid] = position }
        return report.processes.map {
            row(of: $0, in: report, laneIndexes[$0.pid].map { lanes[$0] })
        }
        .sorted { lhs, rhs in
            if lhs.weight != rhs.weight { return lhs.weight > rhs.weight }
            return (laneIndexes[lhs.pid] ?? .max, lhs.pid) < (
                laneIndexes[rhs.pid] ?? .max, rhs.pid
            )
        }
    }

    private func row(
        of process: WatchedProcess,
        in report: WatchReport,
        _ lane: WatchLane?
    ) -> WatchRow {
        let pin = report.pins.first { $0.pid == process.pid }
        var row = WatchRow(
            process: process,
            pid: process.pid,
            name: process.name,
            pin: pin,
            state: WatchLaneState(process, isPinning: pin?.isLong == true)
        )
        guard let lane else { return row }
        row.share = share(of: lane)
        row.cpuShare = meanCPUShare(of: lane)
        return row
    }

    /// Returns the shares of a process over ``shareSeconds`` with their sampling errors.
    private func share(of lane: WatchLane) -> WatchedShare {
        let offset = moments.count - lane.points.count
        var (writer, reader, checkpoint) = (0.0, 0.0, 0.0)
        var (seconds, listSeconds) = (0.0, 0.0)
        // A damaged recording can contain any numbers.
        var (samples, listSamples) = (0.0, 0.0)
        visitMoments(last: Self.shareSeconds) { position, moment in
            // The share is unknown for a moment without samples.
            if moment.samples > 0 { seconds += moment.seconds }
            if moment.listSamples > 0 { listSeconds += moment.seconds }
            samples += Double(moment.samples)
            listSamples += Double(moment.listSamples)
            guard position >= offset else { return }
            let point = lane.points[position - offset]
            writer += Double(point.writer) * moment.seconds
            reader += Double(point.reader) * moment.seconds
            checkpoint += Double(point.checkpoint) * moment.seconds
        }
        func estimate(_ held: Double, of seconds: Double, count: Double) -> WatchedEstimate {
            guard seconds > 0, count > 0 else { return WatchedEstimate(value: 0, error: 1) }
            let share = min(max(held / seconds, 0), 1)
            // Add one success and one failure to keep the error above 0, even for 0 of n or n of n.
            let smoothed = (share * count + 1) / (count + 2)
            let error = (smoothed * (1 - smoothed) / count).squareRoot()
            return WatchedEstimate(value: share, error: error)
        }
        var share = WatchedShare()
        share.writer = estimate(writer, of: seconds, count: samples)
        share.reader = estimate(reader, of: listSeconds, count: listSamples)
        share.checkpoint = estimate(checkpoint, of: seconds, count: samples)
        return share
    }

    private func meanCPUShare(of lane: WatchLane) -> Double? {
        let offset = moments.count - lane.points.count
        var (used, seconds) = (0.0, 0.0)
        visitMoments(last: Self.rateSeconds) { position, moment in
            guard position >= offset else { return }
            let share = lane.points[position - offset].cpuShare
            guard share >= 0 else { return }
            used += Double(share) * moment.seconds
            seconds += moment.seconds
        }
        return seconds > 0 ? used / seconds : nil
    }
}

/// A table or index, and its share of the frames written in the last seconds.
struct WrittenTable: Sendable {
    /// The escaped name, or an empty string if the pages do not belong to a table or an index.
    var name: String
    var kind: WatchedTable.Kind
    /// The share of the frames, from 0 to 1.
    var share: Double
    var frames: UInt64

    /// The name or, without a name, the use of the pages.
    var title: String {
        guard name.isEmpty else { return name }
        return switch kind {
        case .unknown: "(unknown)"
        case .schema: "(header, schema)"
        case .free: "(free pages)"
        case .pointerMap: "(pointer map)"
        case .table, .index: "(unnamed)"
        }
    }
}

extension WatchHistory {
    /// The tables and indexes written in the last seconds, most frames first.
    ///
    /// A single report covers only a fraction of a second, which is too short for a comparison of
    /// tables.
    var tables: [WrittenTable] {
        var frames: [TableKey: UInt64] = [:]
        var total = 0.0
        visitReports(last: Self.shareSeconds) { report in
            for table in report.tables {
                let key = TableKey(kind: table.kind, name: table.name)
                // A damaged recording can contain arbitrary numbers.
                let (sum, overflow) = frames[key, default: 0].addingReportingOverflow(table.frames)
                frames[key] = overflow ? .max : sum
                total += Double(table.frames)
            }
        }
        guard total > 0 else { return [] }
        return frames.map { key, count in
            WrittenTable(
                name: key.name,
                kind: key.kind,
                share: Double(count) / total,
                frames: count
            )
        }.sorted { ($0.frames, $1.name) > ($1.frames, $0.name) }
    }

    private struct TableKey: Hashable {
        var kind: WatchedTable.Kind
        var name: String
    }
}

/// A process at the displayed moment, and its shares over the last few seconds.
struct WatchRow: Sendable {
    /// The process at the displayed moment, or `nil` if it no longer used the database.
    var process: WatchedProcess?
    var pid: Int32
    /// The escaped name of the program.
    var name: String
    /// The oldest pin of the process, if any.
    var pin: WatchedPin?
    var state: WatchLaneState
    /// The shares of ``WatchHistory/shareSeconds`` during which the process held locks.
    var share = WatchedShare()
    /// The CPU time over the last two seconds, as a share of one CPU, or `nil` if unknown.
    var cpuShare: Double?

    var label: String { WatchLabels.process(name, pid: pid) }

    /// The locks at the displayed moment.
    var locks: [WatchedLock] { process?.locks ?? [] }

    /// The lock that pins the log, or the lock that has been held longest.
    var mainLock: WatchedLock? {
        if let pin, let lock = locks.first(where: { $0.mark == pin.mark && $0.kind == .reader }) {
            return lock
        }
        return locks.max { $0.seconds < $1.seconds }
    }

    /// The kinds of locks, such as `writer, reader`.
    var lockKinds: String {
        var kinds: [LockKind] = []
        for lock in locks where !kinds.contains(lock.kind) { kinds.append(lock.kind) }
        return kinds.map(\.rawValue).joined(separator: ", ")
    }

    /// The extent to which the process blocks other processes, in coarse steps.
    var weight: Int {
        let share = 2 * max(share.writer.value, share.checkpoint.value) + share.reader.value
        // A recording can contain arbitrary numbers.
        let steps = share.isFinite ? Int((min(max(share, 0), 3) * 2).rounded()) : 0
        return (pin?.isLong == true ? 4 : 0) + steps
    }
}

extension WatchedPin {
    /// Whether the pin is older than a typical short read.
    var isLong: Bool { seconds >= 1 }
}

/// The chart values of a report.
struct WatchMoment: Timed, Equatable {
    /// The time since the first report, in seconds.
    var time: Double
    /// The length of the report's interval, in seconds.
    var seconds: Double
    /// The number of samples of write locks in the interval.
    var samples: Int
    /// The number of samples of read locks in the interval.
    var listSamples: Int
    /// The CPU time of this program and its helper processes, as a share of one CPU.
    var cpuShare: Double
    /// The number of frames in use, or NaN if unknown.
    var frames: Double
    /// The number of pinned frames, or NaN if unknown.
    var pinnedFrames: Double
    /// The number of commits in the interval.
    ///
    /// For a rollback journal, the number of transactions.
    var commits: Double
    /// The number of frames written in the interval.
    var framesWritten: Double
    /// The number of observed checkpoints in the interval.
    var checkpoints: Double
    /// The number of log resets in the interval.
    var resets: Double

    init(_ report: WatchReport, time: Double) {
        self.time = time
        seconds = report.window.seconds.isFinite ? max(0, report.window.seconds) : 0
        samples = report.window.samples
        listSamples = report.window.listSamples
        cpuShare = report.window.processorShare
        let wal = report.wal
        frames = wal?.frames.map { Double($0) } ?? .nan
        pinnedFrames = wal?.pinned.map { Double($0) } ?? .nan
        commits = Double(wal?.commits ?? report.rollback?.transactions ?? 0)
        framesWritten = Double(wal?.framesWritten ?? 0)
        checkpoints = Double(wal?.checkpoints ?? 0)
        resets = Double(wal?.resets ?? 0)
    }
}

/// A process's use of a database over time.
struct WatchLane: Sendable {
    struct Point: Sendable, Equatable {
        var state: WatchLaneState
        /// The share of the interval, from 0 to 1, during which the process held a write lock.
        var writer: Float = 0
        /// The share of the interval, from 0 to 1, during which the process held a read lock.
        var reader: Float = 0
        /// The share of the interval, from 0 to 1, during which the process held the checkpoint
        /// lock.
        var checkpoint: Float = 0
        /// The CPU time, as a share of one CPU, or a negative value if unknown.
        var cpuShare: Float = -1

        static let absent = Point(state: .absent)
    }

    let pid: Int32
    /// The escaped name of the program.
    var name: String
    /// The points since the process was first observed, newest last.
    var points = RingBuffer<Point>(capacity: WatchHistory.capacity)
    /// The time of the first report that contains the process, in seconds.
    let firstSeen: Double
    /// The time of the last report that contains the process, in seconds.
    var lastSeen: Double

    /// The label in lists, such as `4711 python3 report.py`.
    var label: String { WatchLabels.process(name, pid: pid) }
}
