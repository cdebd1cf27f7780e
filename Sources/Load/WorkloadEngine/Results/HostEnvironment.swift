import Foundation
import Scenarios

/// The environment of a run, which affects comparisons with other runs.
public struct HostEnvironment: Sendable, Codable, Equatable {
    /// The operating system and its version.
    public var operatingSystem: String
    /// The processor's architecture, such as `x86_64`.
    public var architecture: String
    /// The number of processors that the process can use.
    public var cpuCount: Int
    /// The file system of the folder for databases, or `nil` if unknown.
    public var fileSystem: String?
    /// The median time of five syncs in the folder for databases, in nanoseconds, or `nil` if the
    /// syncs failed.
    public var syncNanoseconds: UInt64?
    /// Warnings about the environment, or `nil` if there are none.
    public var warnings: [String]?
    /// The library versions, keyed by library name.
    public var versions: [String: String]
    /// The scenario's text.
    public var scenarioText: String
}

extension HostEnvironment {
    /// Creates a description of this machine.
    ///
    /// - Parameters:
    ///   - folder: The folder in which runs create their own folders.
    ///   - scenario: The scenario, if any.
    ///   - versions: The library versions, keyed by library name, such as `3.40.1` for `sqlite`.
    public init(
        in folder: URL,
        scenario: Scenario? = nil,
        versions: [String: String] = [:]
    ) {
        let process = ProcessInfo.processInfo
        self.init(
            operatingSystem: process.operatingSystemVersionString,
            architecture: Self.architectureName,
            cpuCount: process.activeProcessorCount,
            fileSystem: Self.fileSystem(of: folder),
            syncNanoseconds: Self.measureSync(in: folder),
            versions: versions,
            scenarioText: scenario?.source ?? ""
        )
        if let fileSystem, ["tmpfs", "ramfs"].contains(fileSystem) {
            warnings = [
                "The databases are on \(fileSystem), where a sync takes almost no time: arms that sync more "
                    + "appear faster than they are."
            ]
        }
    }

    private static var architectureName: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &name.machine) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Returns the file system type of the deepest mount point that contains the folder.
    private static func fileSystem(of folder: URL) -> String? {
        guard let table = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else {
            return nil
        }
        let path = folder.resolvingSymlinksInPath().path
        var best: (length: Int, type: String)?
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2 else { continue }
            let mountPoint = String(fields[1])
            let containsFolder =
                mountPoint == "/" || path == mountPoint || path.hasPrefix(mountPoint + "/")
            if containsFolder, mountPoint.count >= best?.length ?? 0 {
                best = (mountPoint.count, String(fields[2]))
            }
        }
        return best?.type
    }

    /// Returns the median time of five syncs of a 4 KiB write, in nanoseconds.
    private static func measureSync(in folder: URL) -> UInt64? {
        let file = folder.appendingPathComponent("poolgauge-sync-\(UUID().uuidString)")
        let descriptor = open(file.path, O_CREAT | O_RDWR | O_EXCL, 0o600)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            unlink(file.path)
        }
        let block = [UInt8](repeating: 0x5A, count: 4096)
        let clock = MonotonicClock()
        var times: [UInt64] = []
        for _ in 0..<5 {
            guard write(descriptor, block, block.count) == block.count else { return nil }
            let start = clock.now()
            guard fsync(descriptor) == 0 else { return nil }
            times.append(clock.now() - start)
        }
        return times.sorted()[times.count / 2]
    }
}
