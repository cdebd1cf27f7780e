import Foundation

/// The journal mode that a database had before a run in place, which arms may change.
///
/// Only WAL mode is a property of the file (<https://sqlite.org/fileformat.html>, offset 18).
struct OriginalJournal {
    private let file: URL
    private let isWAL: Bool

    /// Reads the header; nil for a run on a copy, and for a file without a header.
    ///
    /// The file is read before SQLite opens it in this process: closing a descriptor later would
    /// release SQLite's locks.
    init?(of database: UserDatabase?) {
        guard case .inPlace(let file) = database, let isWAL = Self.isWAL(file) else { return nil }
        self.file = file
        self.isWAL = isWAL
    }

    /// Sets the mode again, once nobody in this process has the file open.
    func restore(through factory: any WorkloadTargetFactory) {
        guard Self.isWAL(file) != isWAL else { return }
        let arm = Arm(name: "restore", kind: .queue, journal: isWAL ? .wal : .delete)
        try? factory.open(arm, at: file.path).close()
    }

    private static func isWAL(_ file: URL) -> Bool? {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
        defer { try? handle.close() }
        guard let header = try? handle.read(upToCount: 20), header.count == 20 else { return nil }
        return header[header.startIndex + 18] == 2
    }
}
