import Findings
import Testing

@testable import SQLiteWatch

/// The lines of a report about the settings of connections.
struct ConnectionTextTests {
    private func connection(
        _ number: Int,
        pid: Int32 = 812,
        _ change: (inout ConnectionSettings) -> Void = { _ in }
    ) -> WatchedConnection {
        var connection = WatchedConnection(pid: pid, connection: String(number))
        connection.name = pid == 812 ? "app.py" : "jobs\u{1b}[2J"
        var settings = ConnectionSettings()
        settings.busyTimeoutMilliseconds = 5_000
        settings.hasOwnBusyHandler = false
        settings.synchronous = .full
        settings.journalMode = .wal
        settings.cacheSize = -2_000
        settings.mmapBytes = 0
        settings.autocheckpointFrames = 1_000
        settings.hasOwnCommitHook = false
        settings.foreignKeys = false
        settings.keepsLocks = false
        settings.sharesCache = false
        settings.isReadOnly = false
        settings.isQueryOnly = false
        settings.threading = .serialized
        change(&settings)
        connection.settings = settings
        return connection
    }

    private func lines(
        _ connections: [WatchedConnection],
        _ copies: [WatchedCopy] = []
    ) -> [String] {
        var report = WatchReport(
            time: WatchTime(milliseconds: 0),
            window: WatchWindow(
                seconds: 1,
                samples: 1,
                samplesPerSecond: 1,
                listSamples: 1,
                processorShare: 0
            ),
            file: WatchedFile(path: "/a.db", state: .present),
            processes: [],
            pins: [],
            tables: [],
            episodes: [],
            notes: []
        )
        report.connections = connections
        report.copies = copies
        report.tracing = WatchedTracing(level: "full")
        let text = WatchText.text(of: report)
        #expect(!text.contains("\u{1b}"))
        return text.split(separator: "\n").map(String.init)
    }

    @Test func connectionsWithEqualSettingsAreOneLine() {
        var copy = WatchedCopy(pid: 812, library: "/lib")
        copy.version = "3.46.1"
        copy.connections = 4
        copy.openFiles = 6
        let found = lines(
            [
                connection(1), connection(2) { $0.isReadOnly = true }, connection(3),
                connection(4) {
                    $0.hasOwnBusyHandler = true
                    $0.busyTimeoutMilliseconds = nil
                    $0.cacheSize = nil
                },
            ],
            [copy]
        )
        #expect(found.allSatisfy { $0.count <= 100 })
        let text = found.joined(separator: " ").replacing("   ", with: " ")
        #expect(
            text.contains(
                "2 connections of app.py (812; SQLite 3.46.1): busy_timeout 5000 ms, synchronous "
                    + "full, journal_mode wal, cache_size 2000 KiB, mmap_size off, "
                    + "wal_autocheckpoint 1000 pages, foreign_keys off"
            )
        )
        #expect(text.contains("1 connection of app.py (812): the same, but read_only on"))
        #expect(text.contains("the same, but busy_timeout own handler, cache_size unknown"))
        #expect(text.contains("2 connections of process 812 have executed no statement"))
    }

    @Test func unknownSettingsAreNeverDefaults() {
        let found = lines([
            connection(1) { $0 = ConnectionSettings() },
            connection(2, pid: 9) { $0.synchronous = nil },
        ])
        #expect(found.contains("1 connection of app.py (812): settings unknown"))
        #expect(found.contains { $0.hasSuffix("unknown: synchronous") })
        #expect(!found.joined().contains("synchronous full"))
    }

    @Test func memoryIsLimitedByTheInnermostGroups() {
        #expect(MemoryLimit.machineBytes("MemFree: 1 kB\nMemTotal:   2048 kB\n") == 2_097_152)
        #expect(
            MemoryLimit.files(of: "0::/a/b\n")
                == ["/a/b", "/a", ""].map { "/sys/fs/cgroup\($0)/memory.max" }
        )
        #expect(
            MemoryLimit.files(of: "5:cpu,memory:/x\n1:name=systemd:/y\n")
                == ["/x", ""].map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }
        )
        #expect(MemoryLimit.files(of: "0::/../other\nmalformed\n").isEmpty)
    }
}
