#if os(Linux)
import Glibc
import SQLiteWatch
import Telemetry

/// The processes that use watched databases.
///
/// A new process is surveyed immediately and again shortly afterward, because a program opens its
/// database after it starts. Older processes are surveyed less often.
struct ProcessSurvey {
    struct Facts {
        var name: String?
        /// The numbers of the watched databases that the process has open.
        var databases: Set<Int> = []
        /// One executable mapping of each file, if the process has a watched database open.
        var code: [ProcessMaps.Mapping] = []
        var program: ProcessMaps.Mapping?
    }

    /// The processes, excluding this process and its helpers.
    private(set) var processes: [Int32: Facts] = [:]
    var excluded: Set<Int32> = []
    /// The times of the next surveys of each process, in ascending order.
    private var dueTimes: [Int32: [UInt64]] = [:]
    private var nextListTime: UInt64 = 0
    /// The watched files, without symbolic links.
    var paths: [String]

    /// The time between two listings of all processes, in nanoseconds.
    private static let listPause: UInt64 = 500_000_000
    /// The pauses between surveys of the same process, in nanoseconds.
    ///
    /// The last pause repeats.
    private static let pauses: [UInt64] = [500_000_000, 2_000_000_000, 10_000_000_000]

    /// Creates a survey of the processes that use files.
    ///
    /// - Parameter paths: The paths of the files, without symbolic links.
    init(paths: [String]) { self.paths = paths }

    /// Surveys the processes that are due, in order of their scheduled times.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock, in nanoseconds.
    ///   - nanoseconds: The time limit. At least one process is surveyed regardless of the limit.
    /// - Returns: The processes that were surveyed.
    mutating func surveyDueProcesses(at now: UInt64, for nanoseconds: UInt64) -> [Int32] {
        if now >= nextListTime {
            nextListTime = now + Self.listPause
            let all = Set((ProcFile.names(in: "/proc") ?? []).compactMap { Int32($0) })
                .subtracting(excluded)
            for ended in Set(dueTimes.keys).subtracting(all) {
                dueTimes[ended] = nil
                processes[ended] = nil
            }
            for new in all where dueTimes[new] == nil {
                dueTimes[new] = [now] + Self.pauses.map { now + $0 }
            }
        }
        let waiting = dueTimes.filter { ($0.value.first ?? .max) <= now }
            .sorted { ($0.value.first ?? 0, $0.key) < ($1.value.first ?? 0, $1.key) }
        var surveyed: [Int32] = []
        for (process, _) in waiting {
            dueTimes[process]?.removeFirst()
            if dueTimes[process]?.isEmpty ?? true {
                dueTimes[process] = [now + (Self.pauses.last ?? Self.listPause)]
            }
            survey(process)
            surveyed.append(process)
            if monotonicNanoseconds() &- now > nanoseconds { break }
        }
        return surveyed
    }

    /// Lists all processes in the next survey, because one has started.
    mutating func listProcesses() { nextListTime = 0 }

    /// Schedules surveys of a process that has executed a new program.
    mutating func scheduleSurvey(of process: Int32, at now: UInt64) {
        guard !excluded.contains(process) else { return }
        dueTimes[process] = [now, now + 100_000_000] + Self.pauses.map { now + $0 }
    }

    /// Surveys a process.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - opened: The numbers of the databases that it is opening.
    mutating func survey(_ process: Int32, opening opened: Set<Int> = []) {
        var facts = Facts()
        facts.databases = databases(of: process).union(opened)
        // Ignore this program's helpers, which read files on its behalf.
        if !facts.databases.isEmpty, Self.isHelper(process) {
            excluded.insert(process)
            dueTimes[process] = nil
            processes[process] = nil
            return
        }
        guard !facts.databases.isEmpty else {
            processes[process] = facts
            return
        }
        let maps = ProcessMaps(ProcFile.read("/proc/\(process)/maps", limit: 1 << 24) ?? [])
        let program = ProcFile.link("/proc/\(process)/exe")
        var seen: Set<String> = []
        for mapping in maps.code where seen.insert(mapping.file).inserted {
            if mapping.path == program { facts.program = mapping }
            facts.code.append(mapping)
        }
        facts.name = ProcessFacts.name(of: process)
        processes[process] = facts
    }

    /// Whether this program has started a process to work for it.
    static func isHelper(_ process: Int32) -> Bool {
        guard ProcessStat(of: process)?.parent == getpid() else { return false }
        return ChildProcess.contains(process)
            || ProcFile.link("/proc/\(process)/exe") == ProcFile.link("/proc/self/exe")
    }

    private func databases(of process: Int32) -> Set<Int> {
        let folder = "/proc/\(process)/fd"
        var found: Set<Int> = []
        for name in ProcFile.names(in: folder) ?? [] {
            guard let link = ProcFile.link("\(folder)/\(name)"), link.utf8.first == 0x2f else {
                continue
            }
            for (number, path) in paths.enumerated() where !found.contains(number) {
                if link == path || link == path + "-wal" || link == path + "-shm" {
                    found.insert(number)
                } else if link.split(separator: "/").last == path.split(separator: "/").last,
                    FileIdentity(path: "\(folder)/\(name)") == FileIdentity(path: path)
                {
                    // The path is different in a container or through another mount.
                    found.insert(number)
                }
            }
        }
        return found
    }
}
#endif
