import TerminalUI

@testable import Dashboard
@testable import Findings
@testable import SQLiteWatch

/// Fictional reports about five programs.
///
/// The programs are a writer, a reader, a program that leaves a read transaction open from 10 s, a
/// program that holds the write lock during other work from 16 s to 19 s, and an idle program.
struct WatchStory {
    /// The path of the database.
    var path = "/srv/shop/app.sqlite"
    /// The time between two reports, in seconds.
    var interval = 0.25
    /// Whether the database is in WAL mode.
    var isWAL = true
    /// The name of the idle program.
    var idleName = "backup"
    /// The name of the first table.
    var table = "orders"

    /// 2026-11-22T12:00:00Z.
    private static let start: Int64 = 1_795_348_800_000

    private static let pinStart = 10.0
    private static let workPeriod = 16.0..<19.0

    /// Returns the reports up to a given second.
    func reports(until end: Double = 24) -> [WatchReport] {
        (0...Int(end / interval)).map { report(at: Double($0) * interval) }
    }

    /// Returns the calendar time of a given second.
    static func time(_ seconds: Double) -> WatchTime {
        WatchTime(milliseconds: start + Int64((seconds * 1000).rounded()))
    }

    private func report(at now: Double) -> WatchReport {
        let isPinned = now >= Self.pinStart + 1
        let isWorking = Self.workPeriod.contains(now)
        // The log grows by 100 frames per second. While it is not pinned, a checkpoint runs every
        // five seconds.
        let frames =
            isPinned ? UInt64(100 * (now - 5)) : UInt64(100 * (now - (now / 5).rounded(.down) * 5))
        let pinned = isPinned ? frames - 500 : 0
        var processes = [
            process(
                4711,
                name: "worker",
                command: "python3 worker.py",
                share: isWorking ? 0 : 0.3,
                processor: 0.12
            ),
            process(4712, name: "web", command: "ruby web.rb", reader: 0.62, processor: 0.31),
            process(
                4713,
                name: "report",
                command: "python3 report.py --month 11",
                reader: now >= 10 ? 1 : 0
            ),
            process(
                4714,
                name: "sync",
                command: "node sync.js",
                share: isWorking ? 1 : 0,
                processor: 0
            ),
            process(4715, name: idleName, command: "/usr/bin/backup --daily"),
        ]
        processes[1].locks = [lock(.reader, mark: 2, frame: frames, for: 0, now)]
        if now >= 10 {
            processes[2].locks = [lock(.reader, mark: 1, frame: 500, for: now - 10, now)]
        }
        if isWorking {
            processes[3].locks = [
                lock(.writer, for: now - Self.workPeriod.lowerBound, now),
                lock(.reader, mark: 3, frame: frames, for: now - Self.workPeriod.lowerBound, now),
            ]
            processes[0].waiting = WatchedWait(isWaiting: true, share: 1)
        }
        var findings: [Finding] = []
        if isWorking {
            findings.append(
                Finding(
                    .longWriter,
                    pid: 4714,
                    "sync (4714) has held the write lock for at least "
                        + "\(WatchLabels.decimal(now - 16)) s: no other process can write; worker "
                        + "(4711) is probably waiting.",
                    remedy: "Search the source code of process 4714 for a BEGIN without "
                        + "COMMIT or ROLLBACK, and for other work during transactions."
                )
            )
        }
        if isPinned {
            findings.append(
                Finding(
                    .pinned,
                    pid: 4713,
                    "report (4713) pins the log: it has been reading the state at frame 500 for at "
                        + "least \(WatchLabels.decimal(now - 10)) s.",
                    remedy: "End its read transaction: reset or finalize its statements."
                )
            )
        }
        return WatchReport(
            time: Self.time(now),
            window: WatchWindow(
                seconds: interval,
                samples: 25,
                samplesPerSecond: 100,
                listSamples: 25,
                processorShare: 0.019
            ),
            file: file,
            processes: isWAL ? processes : rollback(processes),
            pins: isWAL && isPinned
                ? [
                    WatchedPin(
                        pid: 4713,
                        name: "report",
                        mark: 1,
                        frame: 500,
                        frames: pinned,
                        bytes: pinned * 4_120,
                        since: Self.time(10),
                        seconds: now - 10
                    )
                ] : [],
            wal: isWAL ? wal(frames: frames, pinned: pinned, now) : nil,
            rollback: isWAL
                ? nil
                : WatchedRollback(
                    transactions: 3,
                    transactionsPerSecond: 12,
                    journalBytes: isWorking ? 8_720 : nil,
                    isHot: false
                ),
            tables: isWAL ? tables : [],
            tablesCoverage: isWAL
                ? WatchedCoverage(framesRead: 25, readShare: 1, unknownShare: 0.04) : nil,
            episodes: episodes(now),
            verdict: findings.first ?? Finding(.nothing, "Nothing unusual was observed."),
            findings: findings,
            notes: ["This program runs in a PID namespace: processes outside of it are not listed."]
        )
    }

    private var file: WatchedFile {
        WatchedFile(
            path: path,
            state: .present,
            bytes: 48_234_496,
            pages: 11_776,
            freePages: 12,
            pageSize: 4_096,
            journalMode: isWAL ? .wal : .rollback,
            autoVacuum: AutoVacuum.none,
            encoding: .utf8,
            applicationID: 0,
            userVersion: 7,
            fileSystem: FileSystemStatus(type: "ext4")
        )
    }

    private var tables: [WatchedTable] {
        [
            WatchedTable(name: table, kind: .table, share: 0.6, frames: 15),
            WatchedTable(name: "orders_by_date", kind: .index, share: 0.24, frames: 6),
            WatchedTable(name: "stock", kind: .table, share: 0.12, frames: 3),
            WatchedTable(name: "", kind: .unknown, share: 0.04, frames: 1),
        ]
    }

    private func wal(frames: UInt64, pinned: UInt64, _ now: Double) -> WatchedWAL {
        let isCheckpoint = now > 0 && frames == 0
        return WatchedWAL(
            bytes: 32 + max(frames, 500) * 4_120,
            frames: frames,
            room: max(frames, 500),
            backfilled: frames - pinned,
            pinned: pinned,
            pageSize: 4_096,
            marks: [0, 500, frames, nil, nil],
            commits: 3,
            commitsPerSecond: 12,
            framesWritten: 25,
            framesPerSecond: 100,
            checkpoints: isCheckpoint ? 1 : 0,
            framesBackfilled: isCheckpoint ? 500 : 0,
            resets: isCheckpoint ? 1 : 0
        )
    }

    private func process(
        _ pid: Int32,
        name: String,
        command: String,
        share writer: Double = 0,
        reader: Double = 0,
        processor: Double = 0.002
    ) -> WatchedProcess {
        var share = WatchedShare()
        share.writer = WatchedEstimate(value: writer, error: 0.09)
        share.reader = WatchedEstimate(value: max(reader, writer), error: 0.09)
        return WatchedProcess(
            pid: pid,
            name: name,
            user: "shop",
            commandLine: command,
            processorShare: processor,
            locks: [],
            share: share
        )
    }

    private func lock(
        _ kind: LockKind,
        mark: Int? = nil,
        frame: UInt64? = nil,
        for seconds: Double,
        _ now: Double
    ) -> WatchedLock {
        WatchedLock(
            kind: kind,
            mark: mark,
            frame: frame,
            since: Self.time(now - seconds),
            seconds: seconds,
            isContinuous: true
        )
    }

    /// Returns the same processes with the locks of a rollback journal.
    private func rollback(_ processes: [WatchedProcess]) -> [WatchedProcess] {
        processes.map { process in
            var process = process
            process.locks = process.locks.map { lock in
                var lock = lock
                lock.kind = lock.kind == .writer ? .reserved : .shared
                (lock.mark, lock.frame) = (nil, nil)
                return lock
            }
            return process
        }
    }

    private func episodes(_ now: Double) -> [WatchEpisode] {
        var episodes: [WatchEpisode] = []
        if now >= 16.25 {
            let end = min(now, 19)
            episodes.append(
                WatchEpisode(
                    kind: .writer,
                    pid: 4714,
                    name: "sync",
                    start: Self.time(16),
                    end: now >= 19 ? Self.time(19) : nil,
                    seconds: end - 16,
                    frames: nil,
                    waiters: [WatchEpisode.Waiter(pid: 4711, name: "worker")]
                )
            )
        }
        if now >= 11 {
            episodes.append(
                WatchEpisode(
                    kind: .pin,
                    pid: 4713,
                    name: "report",
                    start: Self.time(10),
                    end: nil,
                    seconds: now - 10,
                    frames: UInt64(100 * (now - 10)),
                    waiters: []
                )
            )
        }
        return episodes
    }
}

extension WatchDashboard {
    /// Creates a dashboard that has received the reports of a story.
    static func watching(
        _ story: WatchStory = WatchStory(),
        theme: String = "dark",
        glyphs: GlyphSet = .braille,
        until end: Double = 24
    ) throws -> WatchDashboard {
        var model = WatchDashboard(theme: try Theme.named(theme), glyphs: glyphs)
        for report in story.reports(until: end) { model.ingest([report]) }
        return model
    }

    /// Presses a key for each character.
    mutating func press(_ keys: String) {
        for key in keys { _ = handle(.key(.character(key))) }
    }
}
