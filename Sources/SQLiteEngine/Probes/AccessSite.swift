import Telemetry

/// A name for accesses, shown by `status()` as the holder or the waiter.
///
/// Create one per purpose and keep it: names are interned for the life of the process.
public struct AccessLabel: Sendable, Hashable {
    private static let names = Lock<(list: [String], indexes: [String: Int])>(([], [:]))

    /// The name's number, from 0.
    package let index: Int

    /// The label of a number that was a label's ``index``: without a lock or a look-up.
    package init(index: Int) { self.index = index }

    /// Creates a label, or finds the one with the same name.
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

/// Where an access comes from, as `status()` shows it: a call site or a label.
///
/// A method of your own that wraps accesses passes its caller's on:
///
/// ```swift
/// func players(fileID: StaticString = #fileID, line: UInt = #line) throws -> [Player] {
///     try pool.read(at: AccessSite(fileID: fileID, line: line)) { db in
///         try Player.fetchAll(db)
///     }
/// }
/// ```
///
/// It is one word, which an atomic can hold.
/// A call site is the address of its file's name, which lives as long as the process, and the
/// line: 47 bits and 16 bits (user addresses on Linux and macOS fit; a line above 65,535 is shown
/// as that). A label has the top bit set.
public struct AccessSite: Sendable, Hashable {
    let word: UInt64

    private static let labelBit: UInt64 = 1 << 63

    /// The line of a source file.
    @inline(__always)
    public init(fileID: StaticString, line: UInt) {
        word = UInt64(UInt(bitPattern: fileID.utf8Start)) << 16 | UInt64(min(line, 65_535))
    }

    /// A name.
    public init(_ label: AccessLabel) {
        word = Self.labelBit | UInt64(label.index)
    }

    init(word: UInt64) { self.word = word }

    /// The site as people read it; nil for an empty word.
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
