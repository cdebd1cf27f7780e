#if os(Linux)
import Glibc
import SQLiteWatch

/// The kernel's interface for trace events (Documentation/trace in the kernel's sources).
struct TraceFolder: Sendable {
    let path: String

    /// Returns the mounted interface, or the reason why probes are unavailable.
    static func find() -> Result<TraceFolder, TraceError> {
        guard geteuid() == 0 else {
            return .failure(TraceError(.permission, "SQL tracing requires root; run with sudo"))
        }
        #if !arch(x86_64) && !arch(arm64)
        return .failure(
            TraceError(.unsupportedSystem, "SQL tracing requires an x86_64 or arm64 processor")
        )
        #endif
        guard ProcFile.link("/proc/self/ns/pid") == "pid:[4026531836]" else {
            return .failure(
                TraceError(
                    .permission,
                    "trace events contain the process IDs of the host; run outside the container"
                )
            )
        }
        for path in ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"] {
            if access(path + "/uprobe_events", W_OK) == 0 {
                return .success(TraceFolder(path: path))
            }
        }
        let isMounted = access("/sys/kernel/tracing/events", F_OK) == 0
        return .failure(
            TraceError(
                .uprobes,
                isMounted
                    ? "this kernel has no uprobes (CONFIG_UPROBE_EVENTS), or is locked down"
                    : "tracefs is not mounted; to mount it, run "
                        + "'mount -t tracefs tracefs /sys/kernel/tracing'"
            )
        )
    }

    func text(_ name: String) -> String? { ProcFile.text("\(path)/\(name)", limit: 1 << 22) }

    /// Writes to a file in one call, because the kernel parses each call separately.
    ///
    /// - Returns: 0, or `errno` if the write failed.
    func write(_ text: String, to name: String, appends: Bool = false) -> Int32 {
        let flags = O_WRONLY | O_CLOEXEC | (appends ? O_APPEND : 0)
        let descriptor = open("\(path)/\(name)", flags)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count ? 0 : errno
    }

    // MARK: Sessions

    /// Returns the names of all instances and event groups created by sessions of this program.
    func sessionNames() -> Set<String> {
        let instances = ProcFile.names(in: path + "/instances") ?? []
        let groups = (text("uprobe_events") ?? "").split(separator: "\n").compactMap {
            Self.event(of: $0)?.group
        }
        return Set((instances + groups).filter { TraceOwner(name: $0) != nil })
    }

    /// Returns the group and the name in a line of `uprobe_events` such as
    /// `p:GROUP/NAME FILE:OFFSET …`.
    static func event(of line: Substring) -> (group: String, name: String)? {
        guard let word = line.split(separator: " ").first,
            let colon = word.firstIndex(of: ":"), let slash = word.firstIndex(of: "/"),
            colon < slash
        else { return nil }
        return (
            String(word[word.index(after: colon)..<slash]),
            String(word[word.index(after: slash)...])
        )
    }

    /// Removes an instance and all probes of a group.
    ///
    /// - Returns: Whether the instance and all probes were removed. A probe in use cannot be
    ///   removed.
    func remove(_ name: String) -> Bool {
        guard TraceOwner(name: name) != nil else { return false }
        let instance = "instances/\(name)"
        if access("\(path)/\(instance)", F_OK) == 0 {
            _ = write("0", to: "\(instance)/events/enable")
            _ = rmdir("\(path)/\(instance)")
        }
        _ = write("0", to: "events/\(name)/enable")
        for line in (text("uprobe_events") ?? "").split(separator: "\n") {
            guard let event = Self.event(of: line), event.group == name else { continue }
            _ = write("-:\(event.group)/\(event.name)", to: "uprobe_events", appends: true)
        }
        return !sessionNames().contains(name)
    }
}

/// The process that owns a trace instance and its event group.
///
/// The name of the instance and the group identifies the process.
struct TraceOwner: Equatable, Sendable {
    var process: Int32
    /// The start time of the process, in clock ticks since the system booted.
    var startTicks: UInt64

    private static let prefix = "poolgauge"

    /// The owner for this process.
    static var current: TraceOwner? {
        ProcFile.read("/proc/self/stat").flatMap(ProcessStat.init).map {
            TraceOwner(process: getpid(), startTicks: $0.startTicks)
        }
    }

    /// The name, such as `poolgauge_812_123456`.
    var name: String { "\(Self.prefix)_\(process)_\(startTicks)" }

    init(process: Int32, startTicks: UInt64) {
        self.process = process
        self.startTicks = startTicks
    }

    /// Parses a name, or returns `nil` if it is not the name of a session.
    init?(name: String) {
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.prefix, let process = Int32(parts[1]),
            process > 0, let startTicks = UInt64(parts[2])
        else { return nil }
        self.init(process: process, startTicks: startTicks)
        guard self.name == name else { return nil }
    }

    var isRunning: Bool {
        guard let status = ProcFile.read("/proc/\(process)/stat").flatMap(ProcessStat.init) else {
            return false
        }
        return status.startTicks == startTicks && status.state != "Z"
    }
}
#endif
