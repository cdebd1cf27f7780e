#if os(Linux)
import Glibc
import SQLiteWatch

/// The libraries with probes.
struct TracedLibraries {
    /// A library with SQLite.
    final class Entry {
        let number: Int
        let library: SQLiteLibrary
        /// Its layout, or why it has no probes.
        var state: Result<StatementLayout, TraceError>
        /// Whether the returns of functions must not be probed.
        var hasGoUser: Bool
        /// Events that are defined, and those that are enabled.
        var defined: Set<String> = []
        var enabled: Set<String> = []

        init(number: Int, library: SQLiteLibrary, state: Result<StatementLayout, TraceError>) {
            self.number = number
            self.library = library
            self.state = state
            hasGoUser = library.isGo
        }
    }

    private(set) var entries: [Entry] = []
    /// The library of a mapped file; nil for a file without SQLite's functions.
    private var files: [String: Entry?] = [:]
    private var identities: [FileIdentity: Entry] = [:]
    private var goPrograms: [String: Bool] = [:]
    private let calibration: Calibration

    /// Files that programs started later probably map.
    static let common = [
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
        "/usr/lib", "/usr/local/lib",
    ].map { $0 + "/libsqlite3.so.0" }

    init(calibration: Calibration) { self.calibration = calibration }

    /// The library of a file that a process maps; nil for one without SQLite's functions.
    mutating func entry(_ mapping: ProcessMaps.Mapping, of process: Int32) -> Entry? {
        if let known = files[mapping.file] { return known }
        let range = [mapping.range.lowerBound, mapping.range.upperBound]
            .map { String($0, radix: 16) }.joined(separator: "-")
        // This link leads to the mapped file even if its name leads to another one by now.
        let entry = entry(path: mapping.path, link: "/proc/\(process)/map_files/\(range)")
        files[mapping.file] = .some(entry)
        return entry
    }

    /// The library at a path.
    mutating func entry(path: String, link: String) -> Entry? {
        guard let library = SQLiteLibrary(path: path, link: link) else { return nil }
        if let known = identities[library.identity] { return known }
        let entry = Entry(
            number: entries.count,
            library: library,
            state: calibration.layout(of: library)
        )
        entries.append(entry)
        identities[library.identity] = entry
        return entry
    }

    /// Whether a mapped program is one of Go, whose stacks must not be changed by probes.
    mutating func isGo(_ mapping: ProcessMaps.Mapping, of process: Int32) -> Bool {
        if let known = goPrograms[mapping.file] { return known }
        let descriptor = open("/proc/\(process)/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let file = ELFFile(
            isWanted: { _ in false },
            read: { DescriptorFile.read(descriptor, at: $0, count: $1) }
        )
        goPrograms[mapping.file] = file?.isGo ?? false
        return file?.isGo ?? false
    }

    /// The layouts, by the libraries' numbers.
    var layouts: [Int: StatementLayout] {
        var layouts: [Int: StatementLayout] = [:]
        for entry in entries { layouts[entry.number] = try? entry.state.get() }
        return layouts
    }
}
#endif
