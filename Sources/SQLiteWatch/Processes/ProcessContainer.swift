import Foundation

/// The container that a process runs in.
public struct ProcessContainer: Sendable, Codable, Equatable {
    /// The ID, which has 64 hexadecimal digits.
    public var id: String
    /// The name, or `nil` if neither Docker nor Podman knows the container.
    public var name: String?

    private static let idLength = 64
    /// The number of digits with which containers are usually displayed.
    static let shortLength = 12

    /// Finds the ID in the content of `/proc/PID/cgroup`, or returns `nil` for a process in no
    /// container.
    ///
    /// The path contains a component such as `docker-ID.scope`, `libpod-ID`, or `ID`.
    init?(controlGroups text: String) {
        for line in text.split(separator: "\n") {
            for component in line.split(separator: "/").reversed() {
                var name = component
                if name.hasSuffix(".scope") { name = name.dropLast(6) }
                let id = name.suffix(Self.idLength)
                let isComplete = id.count == name.count || name.dropLast(id.count).last == "-"
                if id.count == Self.idLength, isComplete, id.allSatisfy(Self.isDigit) {
                    self.id = String(id)
                    return
                }
            }
        }
        return nil
    }

    private static func isDigit(_ character: Character) -> Bool {
        "0123456789abcdef".contains(character)
    }

    /// The name, if known, and the first digits of the ID.
    public var label: String {
        let short = id.prefix(Self.shortLength)
        return name.map { "container \($0) (\(short))" } ?? "container \(short)"
    }

    /// Returns whether a text is the name or the start of the ID.
    func isNamed(_ text: String) -> Bool {
        text == name || text.count >= Self.shortLength && id.hasPrefix(text)
    }

    #if os(Linux)
    /// The ID of the container that this program runs in.
    private static let ownID = ProcFile.text("/proc/self/cgroup").flatMap(Self.init)?.id

    /// Reads the container of a process, or returns `nil` if the process runs in none, or in the
    /// same container as this program.
    public init?(of process: Int32) {
        let path = "/proc/\(process)/cgroup"
        guard let text = ProcFile.text(path), var found = Self(controlGroups: text),
            found.id != Self.ownID
        else { return nil }
        found.name = Self.dockerName(found.id) ?? Self.podmanName(found.id)
        self = found
    }

    private struct DockerConfiguration: Decodable {
        var Name: String
    }

    private struct PodmanContainer: Decodable {
        var id: String
        var names: [String]?
    }

    private static func dockerName(_ id: String) -> String? {
        let path = "/var/lib/docker/containers/\(id)/config.v2.json"
        guard let content = ProcFile.read(path, limit: 1 << 22) else { return nil }
        let name = try? JSONDecoder().decode(DockerConfiguration.self, from: Data(content)).Name
        return name.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
    }

    private static func podmanName(_ id: String) -> String? {
        for driver in ["overlay", "vfs", "btrfs", "zfs"] {
            let path = "/var/lib/containers/storage/\(driver)-containers/containers.json"
            guard let content = ProcFile.read(path, limit: 1 << 22),
                let all = try? JSONDecoder().decode([PodmanContainer].self, from: Data(content)),
                let found = all.first(where: { $0.id == id })
            else { continue }
            return found.names?.first
        }
        return nil
    }
    #endif
}
