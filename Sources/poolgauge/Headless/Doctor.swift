import CSQLite
import CursesTerminal
import Foundation
import TerminalUI
import WorkloadEngine

/// What this machine has of what Poolgauge needs, and what will not work here.
struct Doctor {
    /// How one finding matters.
    enum Mark: String, Encodable {
        /// As it should be.
        case ok
        /// Something to know.
        case note
        /// Something will work worse, or numbers will mislead.
        case warning
        /// Something will not work.
        case problem
    }

    /// One thing that was looked at.
    struct Finding: Encodable {
        var part: String
        var mark: Mark
        var text: String
    }

    /// The findings, in the order of the report.
    let findings: [Finding]

    /// Looks at everything.
    init() {
        var findings: [Finding] = []
        for (part, look) in [
            ("terminal", Self.terminal), ("sqlite", Self.sqlite), ("files", Self.files),
            ("limits", Self.limits), ("processor", Self.processor),
        ] {
            findings += look().map { Finding(part: part, mark: $0.0, text: $0.1) }
        }
        self.findings = findings
    }

    /// Whether something that a run needs is missing.
    var hasProblem: Bool { findings.contains { $0.mark == .problem } }

    /// One line for each finding, with a newline at its end.
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

    // MARK: What is looked at

    private static func terminal() -> [(Mark, String)] {
        var found: [(Mark, String)] = []
        let environment = ProcessInfo.processInfo.environment
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        if isTerminal {
            var size = winsize()
            if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
                let text = "\(size.ws_col)×\(size.ws_row) cells"
                let isSmall = size.ws_col < 80 || size.ws_row < 24
                found.append(
                    isSmall ? (.warning, "\(text): the dashboard wants 80×24") : (.ok, text)
                )
            }
        } else {
            found.append(
                (
                    .note,
                    "standard input or output is no terminal: run and compare work, the "
                        + "dashboard needs one (or --screenshot)"
                )
            )
        }
        let name = environment["TERM"] ?? ""
        if name.isEmpty || name == "dumb" {
            found.append((.warning, "TERM is '\(name)': the dashboard cannot draw on that"))
        } else {
            found.append((.ok, "TERM is \(name)"))
        }
        if let choice = environment["NO_COLOR"], !choice.isEmpty {
            found.append((.note, "NO_COLOR is set: the dashboard has no colours"))
        }
        found.append(
            TextEncoding.isUTF8()
                ? (.ok, "the locale is UTF-8: charts are drawn with braille")
                : (.note, "the locale is not UTF-8: charts are drawn with ASCII")
        )
        return found
    }

    private static func sqlite() -> [(Mark, String)] {
        var options: [String] = []
        var number: CInt = 0
        while let option = sqlite3_compileoption_get(number) {
            options.append(String(cString: option))
            number += 1
        }
        func has(_ name: String) -> Bool { options.contains { $0.hasPrefix(name) } }
        var found: [(Mark, String)] = [(.ok, "SQLite \(String(cString: sqlite3_libversion()))")]
        if sqlite3_threadsafe() == 0 {
            found.append((.problem, "SQLite was built without threads: nothing here works"))
        } else {
            found.append((.ok, "built for threads (THREADSAFE=\(sqlite3_threadsafe()))"))
        }
        if has("OMIT_WAL") {
            found.append((.problem, "built without WAL (OMIT_WAL): no pool can be opened"))
        }
        if !has("ENABLE_SNAPSHOT") {
            found.append(
                (
                    .note,
                    "built without ENABLE_SNAPSHOT: snapshots of earlier reads, and snapshot "
                        + "pools from read-only pools, are not to be had"
                )
            )
        }
        if has("OMIT_LOOKASIDE") || has("DEFAULT_LOOKASIDE=0") {
            found.append((.note, "lookaside memory is off: statements prepare more slowly"))
        }
        if !has("DEFAULT_MEMSTATUS=0") {
            found.append(
                (
                    .note,
                    "memory statistics are on by default: poolgauge switches them off for "
                        + "itself, your program may not"
                )
            )
        }
        found.append((.ok, "options: " + options.joined(separator: " ")))
        return found
    }

    private static func files() -> [(Mark, String)] {
        let folder = FileManager.default.temporaryDirectory
        if let problem = TemporaryFolder.problem(with: folder) {
            return [(.problem, "\(folder.path): \(problem); set TMPDIR to another folder")]
        }
        var found: [(Mark, String)] = [(.ok, "databases are made in \(folder.path)")]
        let host = HostEnvironment(in: folder)
        if let system = host.fileSystem { found.append((.ok, "its file system is \(system)")) }
        found += (host.warnings ?? []).map { (.warning, $0) }
        if let sync = host.syncNanoseconds {
            let text = HumanUnits.duration(nanoseconds: sync)
            found.append(
                sync < 20_000
                    ? (
                        .warning,
                        "a sync takes \(text): nothing waits for a disk, so arms that "
                            + "sync more look better than they are"
                    )
                    : (.ok, "a sync takes \(text)")
            )
        } else {
            found.append((.warning, "a sync could not be measured there"))
        }
        let values = try? folder.resourceValues(forKeys: [.volumeAvailableCapacityKey])
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
        let free =
            (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
            ?? values?.volumeAvailableCapacity.map(Int64.init)
        if let free {
            let megabytes = free / 1_048_576
            found.append(
                megabytes < 1024
                    ? (.warning, "\(megabytes) MiB are free: large data sets may not fit")
                    : (.ok, "\(megabytes / 1024) GiB are free")
            )
        }
        return found
    }

    private static func limits() -> [(Mark, String)] {
        var found: [(Mark, String)] = []
        var files = rlimit()
        if getrlimit(resource(RLIMIT_NOFILE), &files) == 0 {
            // A connection in WAL mode has three files open, the log's index among them.
            let connections = files.rlim_cur / 3
            let text = "\(files.rlim_cur) open files: about \(connections) connections"
            found.append(
                files.rlim_cur < 256
                    ? (.warning, "\(text); raise it with ulimit -n") : (.ok, text)
            )
        }
        var size = rlimit()
        if getrlimit(resource(RLIMIT_FSIZE), &size) == 0, size.rlim_cur < 1 << 30 {
            found.append(
                (
                    .warning,
                    "files may have \(size.rlim_cur) bytes: larger data sets end with "
                        + "SQLITE_FULL or SQLITE_IOERR"
                )
            )
        }
        return found
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
        var found: [(Mark, String)] = [
            count == 1
                ? (
                    .warning,
                    "1 processor: the generator and the database share it, so waits "
                        + "are partly the generator's"
                )
                : (.ok, "\(count) processors")
        ]
        let noop = try? GeneratorSelfTest.nanosecondsPerAccess()
        if let noop {
            found.append(
                noop > 1000
                    ? (
                        .warning,
                        "the generator takes \(noop) ns for an access: build with "
                            + "-c release before you trust numbers"
                    )
                    : (.ok, "the generator takes \(noop) ns for an access")
            )
        }
        return found
    }
}
