import CSQLite
import CursesTerminal
import Foundation
import TerminalUI
import Text
import WorkloadEngine

/// A check of whether this machine meets the requirements of Poolgauge.
struct Doctor {
    enum Mark: String, Encodable {
        case ok
        /// The finding is informational.
        case note
        /// The finding reduces performance or makes results misleading.
        case warning
        /// The finding prevents correct operation.
        case problem
    }

    struct Finding: Encodable {
        var part: String
        var mark: Mark
        var text: String
    }

    let findings: [Finding]

    init() {
        var findings: [Finding] = []
        for (part, check) in [
            ("terminal", Self.terminal), ("sqlite", Self.sqlite), ("files", Self.files),
            ("limits", Self.limits), ("processor", Self.processor),
        ] {
            findings += check().map { Finding(part: part, mark: $0.0, text: $0.1) }
        }
        self.findings = findings
    }

    var hasProblem: Bool { findings.contains { $0.mark == .problem } }

    /// The report as text, with one line per finding and a newline at the end of each line.
    var text: String {
        var lines: [String] = []
        var part = ""
        for finding in findings {
            if finding.part != part {
                if !lines.isEmpty { lines.append("") }
                part = finding.part
                lines.append(part)
            }
            let mark = finding.mark.rawValue
            let padding = String(repeating: " ", count: 9 - mark.count)
            lines.append("  \(mark)\(padding)\(finding.text)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Checks

    private static func terminal() -> [(Mark, String)] {
        var results: [(Mark, String)] = []
        let environment = ProcessInfo.processInfo.environment
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        if isTerminal {
            var size = winsize()
            if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
                let text = "\(size.ws_col)×\(size.ws_row) cells"
                let isSmall = size.ws_col < 80 || size.ws_row < 24
                results.append(
                    isSmall ? (.warning, "\(text): the dashboard needs 80×24") : (.ok, text)
                )
            }
        } else {
            results.append(
                (
                    .note,
                    "standard input or output is not a terminal: commands such as run and compare "
                        + "work, but the dashboard needs a terminal (or --screenshot)"
                )
            )
        }
        let name = environment["TERM"] ?? ""
        if name.isEmpty || name == "dumb" {
            results.append((.warning, "TERM is '\(name)': the dashboard cannot use this terminal"))
        } else {
            results.append((.ok, "TERM is \(name)"))
        }
        if let choice = environment["NO_COLOR"], !choice.isEmpty {
            results.append((.note, "NO_COLOR is set: the dashboard uses no colors"))
        }
        results.append(
            TextEncoding.setLocale()
                ? (.ok, "the locale uses UTF-8: the dashboard draws charts with braille characters")
                : (.note, "the locale does not use UTF-8: the dashboard draws charts with ASCII")
        )
        return results
    }

    private static func sqlite() -> [(Mark, String)] {
        var options: [String] = []
        var number: CInt = 0
        while let option = sqlite3_compileoption_get(number) {
            options.append(String(cString: option))
            number += 1
        }
        func isSet(_ name: String) -> Bool { options.contains { $0.hasPrefix(name) } }
        var results: [(Mark, String)] = [(.ok, "SQLite \(String(cString: sqlite3_libversion()))")]
        if sqlite3_threadsafe() == 0 {
            results.append(
                (.problem, "SQLite was built without thread support, which Poolgauge requires")
            )
        } else {
            results.append((.ok, "built with thread support (THREADSAFE=\(sqlite3_threadsafe()))"))
        }
        if isSet("OMIT_WAL") {
            results.append((.problem, "built without WAL (OMIT_WAL): pools cannot be opened"))
        }
        if !isSet("ENABLE_SNAPSHOT") {
            results.append(
                (
                    .note,
                    "built without ENABLE_SNAPSHOT: snapshots of earlier states are unavailable, "
                        + "and read-only pools cannot create snapshot pools"
                )
            )
        }
        if isSet("OMIT_LOOKASIDE") || isSet("DEFAULT_LOOKASIDE=0") {
            results.append((.note, "lookaside memory is off: preparing statements is slower"))
        }
        if !isSet("DEFAULT_MEMSTATUS=0") {
            results.append(
                (
                    .note,
                    "memory statistics are on: each allocation takes a lock of the process; a "
                        + "program can turn them off with SQLITE_CONFIG_MEMSTATUS"
                )
            )
        }
        results.append((.ok, "options: " + options.joined(separator: " ")))
        return results
    }

    private static func files() -> [(Mark, String)] {
        let folder = FileManager.default.temporaryDirectory
        if let problem = TemporaryFolder.problem(with: folder) {
            return [(.problem, TemporaryFolder.message(for: problem, with: folder))]
        }
        var results: [(Mark, String)] = [(.ok, "databases are created in \(folder.path)")]
        let host = HostEnvironment(in: folder)
        if let system = host.fileSystem { results.append((.ok, "its file system is \(system)")) }
        results += (host.warnings ?? []).map { (.warning, $0) }
        if let sync = host.syncNanoseconds {
            let text = HumanUnits.duration(nanoseconds: sync)
            results.append(
                sync < 20_000
                    ? (
                        .warning,
                        "a sync takes \(text), so it does not reach a disk, and arms with more "
                            + "syncs appear faster than on a disk"
                    )
                    : (.ok, "a sync takes \(text)")
            )
        } else {
            results.append((.warning, "the time of a sync in this folder could not be measured"))
        }
        let values = try? folder.resourceValues(forKeys: [.volumeAvailableCapacityKey])
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
        let free =
            (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
            ?? values?.volumeAvailableCapacity.map(Int64.init)
        if let free {
            let megabytes = free / 1_048_576
            results.append(
                megabytes < 1024
                    ? (.warning, "\(megabytes) MiB free: large datasets may not fit")
                    : (.ok, "\(megabytes / 1024) GiB free")
            )
        }
        return results
    }

    private static func limits() -> [(Mark, String)] {
        var results: [(Mark, String)] = []
        var files = rlimit()
        if getrlimit(resource(RLIMIT_NOFILE), &files) == 0 {
            // In WAL mode, a connection opens three files: the database, log, and wal-index.
            let connections = files.rlim_cur / 3
            let text =
                "the limit of \(files.rlim_cur) open files allows about \(connections) connections"
            results.append(
                files.rlim_cur < 256
                    ? (.warning, "\(text); raise it with ulimit -n") : (.ok, text)
            )
        }
        var size = rlimit()
        if getrlimit(resource(RLIMIT_FSIZE), &size) == 0, size.rlim_cur < 1 << 30 {
            results.append(
                (
                    .warning,
                    "the size of files is limited to \(size.rlim_cur) bytes (ulimit -f): larger "
                        + "datasets fail with SQLITE_FULL or SQLITE_IOERR"
                )
            )
        }
        return results
    }

    #if canImport(Glibc)
    private static func resource(_ number: __rlimit_resource) -> __rlimit_resource_t {
        __rlimit_resource_t(number.rawValue)
    }
    #else
    private static func resource(_ number: CInt) -> CInt { number }
    #endif

    private static func processor() -> [(Mark, String)] {
        let count = ProcessInfo.processInfo.activeProcessorCount
        var results: [(Mark, String)] = [
            count == 1
                ? (
                    .warning,
                    "1 processor: the load generator and the database share it, which increases "
                        + "the measured waits"
                )
                : (.ok, "\(count) processors")
        ]
        let generatorNanoseconds = try? GeneratorCost.measure()
        if let generatorNanoseconds {
            results.append(
                generatorNanoseconds > 1000
                    ? (
                        .warning,
                        "the load generator takes \(generatorNanoseconds) ns per access: build with -c release for "
                            + "reliable results"
                    )
                    : (.ok, "the load generator takes \(generatorNanoseconds) ns per access")
            )
        }
        return results
    }
}
