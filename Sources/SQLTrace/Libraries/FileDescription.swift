#if os(Linux)
/// What a file that another program maps contains.
///
/// The file is untrusted, so a process without privileges reads it and states the result as text,
/// whose values are checked.
struct FileDescription: Equatable, Sendable {
    /// The positions of the probes, by function, or none if the file has no usable copy of SQLite.
    var points: [String: SQLiteLibrary.ProbePoint] = [:]
    /// Whether the file contains the symbols of the functions.
    var hasSymbols = false
    /// Whether the file is a program and not a library.
    var isProgram = false
    /// Whether the file is a Go program.
    var isGo = false
    /// The copy of SQLite whose functions cannot be found, if the process searched for it.
    var copy: HiddenCopy?

    private enum Word {
        static let symbols = "symbols"
        static let program = "program"
        static let go = "go"
        static let copy = "copy"
        static let version = "version="
    }

    /// Examines a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - searchesCopy: Whether to search for a copy of SQLite without known functions.
    init(of bytes: FileBytes, searchesCopy: Bool) {
        guard var file = ELFFile(bytes, isIncluded: SQLiteLibrary.functions.contains) else {
            return
        }
        isProgram = file.isProgram
        isGo = file.isGo
        hasSymbols = file.functions["sqlite3_step"] != nil
        if file.addFunctions(SQLiteLibrary.functions, from: bytes) {
            points = file.functions.mapValues { function in
                let code = bytes.bytes(at: function.fileOffset, count: 16)
                return SQLiteLibrary.point(of: function, code, machine: file.machine)
            }
        } else if searchesCopy {
            copy = HiddenCopy(in: file, bytes)
        }
    }

    /// Reads a line, or returns `nil` if it is malformed.
    init?(text: String) {
        for word in text.split(separator: " ").map(String.init) {
            switch word {
            case Word.symbols: hasSymbols = true
            case Word.program: isProgram = true
            case Word.go: isGo = true
            case Word.copy: copy = HiddenCopy(isGo: isGo, version: nil)
            default:
                if word.hasPrefix(Word.version) {
                    let version = word.dropFirst(Word.version.count)
                    guard copy != nil, version.utf8.count <= 16,
                        version.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e })
                    else { return nil }
                    copy?.version = String(version)
                } else if !addPoint(word) {
                    return nil
                }
            }
        }
    }

    /// Adds a point such as `sqlite3_step=4096,4100,1`.
    private mutating func addPoint(_ word: String) -> Bool {
        let parts = word.split(separator: "=")
        guard parts.count == 2, SQLiteLibrary.functions.contains(String(parts[0])) else {
            return false
        }
        let numbers = parts[1].split(separator: ",").compactMap { UInt64($0) }
        guard numbers.count == 3, numbers[0] < 1 << 48,
            numbers[1] >= numbers[0], numbers[1] - numbers[0] < 16
        else { return false }
        points[String(parts[0])] = SQLiteLibrary.ProbePoint(
            entry: numbers[0],
            offset: numbers[1],
            isEmulated: numbers[2] == 1
        )
        return true
    }

    /// The line that ``init(text:)`` reads.
    var text: String {
        var words: [String] = []
        if hasSymbols { words.append(Word.symbols) }
        if isProgram { words.append(Word.program) }
        if isGo { words.append(Word.go) }
        if let copy {
            words.append(Word.copy)
            if let version = copy.version { words.append(Word.version + version) }
        }
        words += points.sorted { $0.key < $1.key }.map { name, point in
            "\(name)=\(point.entry),\(point.offset),\(point.isEmulated ? 1 : 0)"
        }
        return words.joined(separator: " ")
    }
}
#endif
