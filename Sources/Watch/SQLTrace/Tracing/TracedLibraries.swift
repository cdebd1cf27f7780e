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
            guard library.description.hasSymbols else { return false }
            let name = library.path.split(separator: "/").last.map { $0.lowercased() } ?? ""
            return name.hasPrefix("lib") && (name.contains("sqlite") || name.contains("sqlcipher"))
        }
    }

    private struct File {
        var description: FileDescription?
        var entry: Entry?
        var isSearchedForCopy = false
        /// The number of times that the file could not be examined.
        var failures = 0
    }

    private(set) var entries: [Entry] = []
    /// The mapped files that were examined.
    private var files: [String: File] = [:]
    private var identities: [FileIdentity: Entry] = [:]
    let calibration: Calibration

    /// The maximum number of libraries, each of which requires a descriptor and a calibration.
    private static let limit = 64
    /// The maximum number of files to store, and to examine for a process.
    private static let fileLimit = (stored: 1 << 14, ofProcess: 1 << 12)
    /// The number of files to open at the same time.
    private static let batch = 64
    private static let attempts = 3

    /// Whether to open files by their paths if the links to mapped files require privileges.
    private let opensPaths: Bool

    init(calibration: Calibration, opensPaths: Bool = false) {
        self.calibration = calibration
        self.opensPaths = opensPaths
    }

    /// Returns whether a mapped file has been examined.
    func contains(_ mapping: ProcessMaps.Mapping) -> Bool {
        files[mapping.file]?.description != nil
    }

    /// Examines the unknown files that a process maps, in a process without privileges.
    mutating func examine(_ mappings: [ProcessMaps.Mapping], of process: Int32) {
        examine(mappings, of: process) { $0.description != nil }
    }

    private mutating func examine(
        _ mappings: [ProcessMaps.Mapping],
        of process: Int32,
        searchesCopies: Bool = false,
        isKnown: (File) -> Bool
    ) {
        if files.count > Self.fileLimit.stored { files = [:] }
        var rest = mappings.prefix(Self.fileLimit.ofProcess).filter { mapping in
            files[mapping.file].map { !isKnown($0) && $0.failures < Self.attempts } ?? true
        }[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            let opened = batch.compactMap { mapping in
                open(mapping, of: process).map { (mapping, $0) }
            }
            let descriptions = calibration.descriptions(
                of: opened.map(\.1.descriptor),
                searchesCopies: searchesCopies
            )
            if descriptions.count < opened.count {
                // The next survey examines the others, without those that failed too often.
                for (_, file) in opened[descriptions.count...] { close(file.descriptor) }
                rest = []
            }
            for ((mapping, file), description) in zip(opened, descriptions) {
                var known = files[mapping.file] ?? File()
                if let description {
                    known.description = description
                    known.isSearchedForCopy = searchesCopies
                } else {
                    known.failures += 1
                }
                if known.entry == nil, let description, !description.points.isEmpty, !isFull {
                    known.entry = entry(mapping, file: file, description: description, of: process)
                } else {
                    close(file.descriptor)
                }
                files[mapping.file] = known
            }
        }
    }

    /// Returns the library of an examined file, or `nil` for a file without SQLite's functions.
    func entry(_ mapping: ProcessMaps.Mapping) -> Entry? { files[mapping.file]?.entry }

    /// Returns whether an examined file is a Go program.
    ///
    /// Return probes must not change the stacks of a Go program.
    func isGo(_ mapping: ProcessMaps.Mapping) -> Bool {
        files[mapping.file]?.description?.isGo ?? false
    }

    /// Returns the copy of SQLite in the files of a process that has no library, or the path of a
    /// file that could not be examined.
    mutating func hiddenCopy(
        in mappings: [ProcessMaps.Mapping],
        of process: Int32
    ) -> (copy: HiddenCopy?, unknown: String?) {
        examine(mappings, of: process, searchesCopies: true, isKnown: \.isSearchedForCopy)
        let files = files
        return (
            mappings.lazy.compactMap { files[$0.file]?.description?.copy }.first,
            mappings.first { files[$0.file]?.failures ?? 0 > 0 && !contains($0) }?.path
        )
    }

    private func open(
        _ mapping: ProcessMaps.Mapping,
        of process: Int32
    ) -> (descriptor: Int32, information: stat)? {
        if let file = DescriptorFile.open(Self.link(mapping, of: process)) { return file }
        guard opensPaths, errno == EPERM || errno == EACCES else { return nil }
        // The path may now be that of another file, even of a device, whose opening has effects.
        let place = Glibc.open(mapping.path, FilePath.withoutContent | O_NOFOLLOW | O_CLOEXEC)
        guard place >= 0 else { return nil }
        defer { close(place) }
        var information = stat()
        guard fstat(place, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            mapping.file.hasSuffix(" \(information.st_ino)")
        else { return nil }
        return DescriptorFile.open("/proc/self/fd/\(place)")
    }

    /// Returns the link to the mapped file, which stays valid if the file is replaced.
    private static func link(_ mapping: ProcessMaps.Mapping, of process: Int32) -> String {
        let range = [mapping.range.lowerBound, mapping.range.upperBound]
            .map { String($0, radix: 16) }.joined(separator: "-")
        return "/proc/\(process)/map_files/\(range)"
    }

    var isFull: Bool { entries.count >= Self.limit }

    private mutating func entry(
        _ mapping: ProcessMaps.Mapping,
        file: (descriptor: Int32, information: stat),
        description: FileDescription,
        of process: Int32
    ) -> Entry? {
        let library = SQLiteLibrary(
            path: mapping.path,
            file,
            description,
            root: "/proc/\(process)/root"
        )
        if let known = identities[library.identity] { return known }
        let size = UInt64(mapping.range.count)
        let (end, isOverflow) = mapping.offset.addingReportingOverflow(size)
        guard !isOverflow else { return nil }
        let entry = Entry(number: entries.count, library: library, code: mapping.offset..<end)
        entries.append(entry)
        identities[library.identity] = entry
        return entry
    }

    /// Finds a library's layout in a separate process and waits for the result, unless the layout
    /// is known.
    func calibrate(_ entry: Entry) {
        if entry.state == nil { entry.state = calibration.layout(of: entry.library) }
    }
}
#endif
