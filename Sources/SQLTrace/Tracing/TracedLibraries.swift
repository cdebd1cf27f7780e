#if os(Linux)
import Glibc
import SQLiteWatch

/// The libraries with SQLite's functions that a session has found.
struct TracedLibraries {
    final class Entry {
        let number: Int
        let library: SQLiteLibrary
        /// The layout, or the reason why the library has no probes.
        ///
        /// The value is `nil` before calibration.
        var state: Result<StatementLayout, TraceError>?
        /// The offsets of the mapped code in the file.
        let code: Range<UInt64>
        /// Whether any process has probes on the library's functions.
        var hasProbes = false

        init(number: Int, library: SQLiteLibrary, code: Range<UInt64>) {
            self.number = number
            self.library = library
            self.code = code
        }

        /// Whether the file contains only SQLite, according to its name and to its symbols.
        ///
        /// A plugin that contains SQLite, such as Qt's `libqsqlite.so`, has none.
        var isSeparate: Bool {
            guard library.hasSymbols else { return false }
            let name = library.path.split(separator: "/").last.map { $0.lowercased() } ?? ""
            return name.hasPrefix("lib") && (name.contains("sqlite") || name.contains("sqlcipher"))
        }
    }

    private(set) var entries: [Entry] = []
    /// The library of a mapped file, or `nil` for a file without SQLite's functions.
    private var files: [String: Entry?] = [:]
    private var identities: [FileIdentity: Entry] = [:]
    private var goPrograms: [String: Bool] = [:]
    private var hiddenCopies: [String: HiddenCopy?] = [:]
    let calibration: Calibration

    /// The maximum number of libraries, each of which requires a descriptor and a calibration.
    private static let limit = 64
    /// The maximum number of files and of programs to cache.
    private static let fileLimit = 1 << 14

    init(calibration: Calibration) { self.calibration = calibration }

    /// Returns whether a mapped file has been read.
    func contains(_ mapping: ProcessMaps.Mapping) -> Bool { files[mapping.file] != nil }

    /// Returns the library of a mapped file, or `nil` for a file without SQLite's functions.
    mutating func entry(_ mapping: ProcessMaps.Mapping, of process: Int32) -> Entry? {
        if let known = files[mapping.file] { return known }
        if files.count >= Self.fileLimit { files = [:] }
        let size = UInt64(mapping.range.count)
        let (end, isOverflow) = mapping.offset.addingReportingOverflow(size)
        guard !isOverflow else { return nil }
        let entry = entry(
            path: mapping.path,
            link: Self.link(mapping, of: process),
            root: "/proc/\(process)/root",
            code: mapping.offset..<end
        )
        files[mapping.file] = .some(entry)
        return entry
    }

    /// Returns the copy of SQLite in a mapped file that has no library.
    mutating func hiddenCopy(_ mapping: ProcessMaps.Mapping, of process: Int32) -> HiddenCopy? {
        if let known = hiddenCopies[mapping.file] { return known }
        if hiddenCopies.count >= Self.fileLimit { hiddenCopies = [:] }
        var copy: HiddenCopy?
        if let (descriptor, _) = DescriptorFile.open(Self.link(mapping, of: process)) {
            defer { close(descriptor) }
            let bytes = DescriptorFile.bytes(of: descriptor)
            copy = ELFFile(bytes) { _ in false }.flatMap { HiddenCopy(in: $0, bytes) }
        }
        hiddenCopies[mapping.file] = .some(copy)
        return copy
    }

    /// Returns the link to the mapped file, which stays valid if the file is replaced.
    private static func link(_ mapping: ProcessMaps.Mapping, of process: Int32) -> String {
        let range = [mapping.range.lowerBound, mapping.range.upperBound]
            .map { String($0, radix: 16) }.joined(separator: "-")
        return "/proc/\(process)/map_files/\(range)"
    }

    var isFull: Bool { entries.count >= Self.limit }

    private mutating func entry(
        path: String,
        link: String,
        root: String,
        code: Range<UInt64>
    ) -> Entry? {
        guard !isFull, let library = SQLiteLibrary(path: path, link: link, root: root)
        else { return nil }
        if let known = identities[library.identity] { return known }
        let entry = Entry(number: entries.count, library: library, code: code)
        entries.append(entry)
        identities[library.identity] = entry
        return entry
    }

    /// Finds a library's layout in a separate process and waits for the result, unless the layout
    /// is known.
    func calibrate(_ entry: Entry) {
        if entry.state == nil { entry.state = calibration.layout(of: entry.library) }
    }

    /// Returns whether a mapped file is a Go program.
    ///
    /// Return probes must not change the stacks of a Go program.
    mutating func isGo(_ mapping: ProcessMaps.Mapping, of process: Int32) -> Bool {
        if let known = goPrograms[mapping.file] { return known }
        guard let (descriptor, _) = DescriptorFile.open("/proc/\(process)/exe") else {
            return false
        }
        defer { close(descriptor) }
        let file = ELFFile(DescriptorFile.bytes(of: descriptor)) { _ in false }
        if goPrograms.count >= Self.fileLimit { goPrograms = [:] }
        goPrograms[mapping.file] = file?.isGo ?? false
        return file?.isGo ?? false
    }
}
#endif
