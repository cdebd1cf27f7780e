/// The memory that a process may use.
package enum MemoryLimit {
    /// The maximum number of nested control groups.
    private static let depth = 32

    #if os(Linux)
    /// Returns the smallest limit of a process's control groups and of the machine, in bytes, or
    /// `nil` if it is unknown.
    package static func bytes(of process: Int32) -> UInt64? {
        guard let groups = ProcFile.text("/proc/\(process)/cgroup", limit: 16_384),
            let machine = ProcFile.text("/proc/meminfo", limit: 16_384).flatMap(machineBytes)
        else { return nil }
        let limits = files(of: groups).compactMap { file in
            ProcFile.text(file, limit: 64).flatMap { text in
                UInt64(text.prefix { $0.isNumber })
            }
        }
        return ([machine] + limits).min()
    }
    #endif

    /// Returns the size of the machine's memory from the text of `/proc/meminfo`.
    static func machineBytes(_ text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix("MemTotal:") {
            let digits = line.drop { !$0.isNumber }.prefix { $0.isNumber }
            return UInt64(digits).map { $0 &* 1_024 }
        }
        return nil
    }

    /// Returns the files with the limits of the groups in the text of `/proc/PID/cgroup`, from the
    /// innermost group to the outermost one.
    static func files(of groups: String) -> [String] {
        groups.split(separator: "\n").flatMap { line -> [String] in
            let fields = line.split(
                separator: ":",
                maxSplits: 2,
                omittingEmptySubsequences: false
            )
            guard fields.count == 3 else { return [] }
            let isUnified = fields[1].isEmpty
            guard isUnified || fields[1].split(separator: ",").contains("memory") else { return [] }
            var parts = fields[2].split(separator: "/")
            guard parts.count <= depth, !parts.contains("..") else { return [] }
            let folder = "/sys/fs/cgroup" + (isUnified ? "" : "/memory")
            let file = isUnified ? "/memory.max" : "/memory.limit_in_bytes"
            var files: [String] = []
            while true {
                files.append(folder + parts.map { "/" + $0 }.joined() + file)
                guard parts.popLast() != nil else { return files }
            }
        }
    }
}
