import Testing

@testable import Findings
@testable import SQLiteWatch
@testable import poolgauge

struct WatchMetricsTests {
    /// Returns a report of a database in WAL mode, with the locks of one process.
    private func report(
        _ path: String = "/data/app.sqlite",
        commits: UInt64 = 3,
        program: String = "worker",
        writeShare: Double = 0.5
    ) -> WatchReport {
        var share = WatchedShare()
        share.writer = WatchedEstimate(value: writeShare, error: 0.01)
        let process = WatchedProcess(
            pid: 1,
            name: program,
            locks: [
                WatchedLock(
                    kind: .writer,
                    since: WatchTime(milliseconds: 0),
                    seconds: 1.5,
                    isContinuous: true
                ),
                WatchedLock(
                    kind: .reader,
                    mark: 1,
                    frame: 7,
                    since: WatchTime(milliseconds: 0),
                    seconds: 40,
                    isContinuous: true
                ),
            ],
            share: share,
            waiting: WatchedWait(isWaiting: true, share: 0.1)
        )
        var report = WatchReport.empty(path: path)
        report.window.seconds = 2
        report.processes = [process]
        report.wal = WatchedWAL(
            bytes: 4_152,
            frames: 10,
            backfilled: 4,
            pinned: 3,
            marks: [],
            commits: commits,
            commitsPerSecond: 0,
            framesWritten: 5,
            framesPerSecond: 0,
            checkpoints: 1,
            framesBackfilled: 4,
            resets: 0
        )
        return report
    }

    @Test func textContainsTheKnownValues() {
        let metrics = WatchMetrics()
        #expect(metrics.text() == "")
        metrics.receive([report()])
        let lines = metrics.text().split(separator: "\n").map(String.init)
        let database = "{database=\"/data/app.sqlite\""
        for line in [
            "sqlite_up\(database)} 1",
            "sqlite_processes\(database)} 1",
            "sqlite_processes_waiting\(database)} 1",
            "sqlite_write_lock_seconds\(database)} 1.5",
            "sqlite_wal_frames\(database)} 10",
            "sqlite_wal_checkpointed_frames\(database)} 4",
            "sqlite_wal_pinned_frames\(database)} 3",
            "sqlite_wal_oldest_reader_seconds\(database)} 40",
            "sqlite_commits_total\(database)} 3",
            "sqlite_checkpoint_total\(database),mode=\"unknown\"} 1",
            "sqlite_lock_seconds_total\(database),lock=\"write\",program=\"worker\"} 1",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // The report does not contain the file size.
        #expect(!lines.contains { $0.contains("sqlite_file_bytes") })
    }

    @Test func intervalCountsAreAdded() {
        let metrics = WatchMetrics()
        for _ in 0..<3 { metrics.receive([report(), report("/data/other", commits: 1)]) }
        let text = metrics.text()
        #expect(text.contains("sqlite_commits_total{database=\"/data/app.sqlite\"} 9\n"))
        #expect(text.contains("sqlite_commits_total{database=\"/data/other\"} 3\n"))
        #expect(text.contains("program=\"worker\"} 3\n"))
        // A database that is no longer watched has no metrics.
        metrics.receive([report()])
        #expect(!metrics.text().contains("/data/other"))
    }

    @Test func aMissingFileIsNotUp() {
        var report = WatchReport.empty(path: "/missing")
        report.file.state = .missing
        let metrics = WatchMetrics()
        metrics.receive([report])
        let text = metrics.text()
        #expect(text.contains("sqlite_up{database=\"/missing\"} 0\n"))
        #expect(!text.contains("sqlite_commits_total"))
        #expect(!text.contains("sqlite_write_lock_seconds"))
    }

    @Test func programsAreLimitedAndEscaped() {
        var totals = WatchTotals()
        for number in 0..<200 { totals.add(report(program: "p\(number)")) }
        #expect(totals.lockSeconds.count == WatchTotals.programLimit + 1)
        let others = WatchTotals.Holder(lock: "write", program: WatchTotals.others)
        #expect(totals.lockSeconds[others] == Double(200 - WatchTotals.programLimit))
        var escaped = WatchTotals()
        escaped.add(report(program: "a\u{1B}[31m\n"))
        #expect(escaped.lockSeconds.keys.first?.program == "a\\u{1b}[31m\\u{a}")
    }
}

extension WatchReport {
    /// Returns a report of a database that no process uses.
    fileprivate static func empty(path: String) -> WatchReport {
        WatchReport(
            time: WatchTime(milliseconds: 0),
            window: WatchWindow(
                seconds: 1,
                samples: 1,
                samplesPerSecond: 1,
                listSamples: 1,
                processorShare: 0
            ),
            file: WatchedFile(path: path, state: .present),
            processes: [],
            pins: [],
            tables: [],
            episodes: [],
            verdict: Finding(.nothing, ""),
            findings: [],
            notes: []
        )
    }
}
