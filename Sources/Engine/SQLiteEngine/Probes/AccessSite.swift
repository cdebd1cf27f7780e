import Telemetry

/// A name that `status()` shows for accesses that hold or wait for a connection.
///
/// Create one label per purpose and reuse it, because names are interned for the life of the
/// process.
public struct AccessLabel: Sendable, Hashable {
    private static let names = Lock<(list: [String], indexes: [String: Int])>(([], [:]))

    /// The number of the name, starting at 0.
    package let index: Int

    /// Creates the label with a known ``index``, without a lock or a lookup.
    package init(index: Int) { self.index = index }

    /// Creates a label, which equals any existing label with the same name.
    public init(_ name: String) {
        index = Self.names.withLock { names in
            if let index = names.indexes[name] { return index }
            names.list.append(name)
            names.indexes[name] = names.list.count - 1
            return names.list.count - 1
        }
    }

    /// The name.
    public var name: String { Self.names.withLock { $0.list[index] } }

    fileprivate static func name(at index: Int) -> String? {
        names.withLock { $0.list.indices.contains(index) ? $0.list[index] : nil }
    }
}

/// The origin of an access, as shown by `status()`: a call site or a label.
///
/// A method that wraps accesses should pass its caller's call site:
///
/// ```swift
/// func players(fileID: StaticString = #fileID, line: UInt = #line) throws -> [Player] {
///     try pool.read(at: AccessSite(fileID: fileID, line: line)) { db in
///         try Player.fetchAll(db)
///     }
/// }
/// ```
///
/// A site is one word, so an atomic can hold it. A call site consists of the address of the file
/// name (47 bits), which stays valid for the life of the process, and the line (16 bits).
/// User-space addresses on Linux and macOS fit in 47 bits. Lines above 65,535 appear as 65,535. A
/// label has the top bit set.
public struct AccessSite: Sendable, Hashable {
    let word: UInt64

    private static let labelBit: UInt64 = 1 << 63

    /// Creates the site of a line in a source file.
    @inline(__always)
    public init(fileID: StaticString, line: UInt) {
        word = UInt64(UInt(bitPattern: fileID.utf8Start)) << 16 | UInt64(min(line, 65_535))
    }

    /// Creates the site of a label.
    public init(_ label: AccessLabel) {
        word = Self.labelBit | UInt64(label.index)
    }

    /// Creates the site of a label, or of a line in a source file if there is no label.
    @inline(__always)
    public init(_ label: AccessLabel?, fileID: StaticString, line: UInt) {
        self = label.map { AccessSite($0) } ?? AccessSite(fileID: fileID, line: line)
    }

    init(word: UInt64) { self.word = word }

    /// The readable form of the site, or `nil` for an empty word.
    var origin: AccessOrigin? {
        guard word != 0 else { return nil }
        if word & Self.labelBit != 0 {
            return AccessLabel.name(at: Int(word & ~Self.labelBit)).map(AccessOrigin.init)
        }
        guard let address = UnsafePointer<CChar>(bitPattern: UInt(word >> 16)) else { return nil }
        let file = String(cString: address)
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return AccessOrigin(name: "\(name):\(word & 65_535)")
    }
}
