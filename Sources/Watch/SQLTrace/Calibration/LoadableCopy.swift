/// The changes to a copy of a library or program that make the dynamic loader accept it on a system
/// without the libraries that it requires.
///
/// For example, a Python module that contains SQLite imports functions of the interpreter, and a
/// package's module requires libraries in the package's folder. SQLite itself requires only the C
/// library.
struct LoadableCopy {
    struct Change: Equatable {
        /// The offset in the file.
        var offset: UInt64
        var bytes: [UInt8]
    }

    let file: ELFFile
    let bytes: FileBytes

    /// The tags of the dynamic table (System V ABI, "Dynamic Linking").
    private enum Tag {
        static let library: UInt64 = 1
        static let names: UInt64 = 5
        static let symbols: UInt64 = 6
        /// The functions to call at the start and at the end.
        static let functions: Set<UInt64> = [12, 13, 25, 26]
        /// The versions of symbols, which name libraries.
        static let versions: Set<UInt64> = [
            0x6fff_fff0, 0x6fff_fffc, 0x6fff_fffd, 0x6fff_fffe, 0x6fff_ffff,
        ]
        /// A tag that loaders ignore.
        static let ignored: UInt64 = 0x6000_000d
    }

    /// Returns the changes.
    ///
    /// * A missing library is not required.
    /// * An undefined symbol may be missing. Its address is then 0, and calibration does not use it.
    /// * A library does not call functions at its start. SQLite does not need them, and functions of
    ///   other code may call functions that are missing. A program never calls them, because it
    ///   stops before them.
    ///
    /// - Parameter isAvailable: A closure that returns whether the loader finds a library.
    /// - Returns: The changes, which do not change the length of the copy.
    func changes(isAvailable: (_ library: String) -> Bool) -> [Change] {
        var tags = file.isProgram ? [] : Tag.functions
        let missing = Set(
            file.dynamicEntries.filter { $0.tag == Tag.library }.map(\.value)
                .filter { !(name($0).map(isAvailable) ?? false) }
        )
        if !missing.isEmpty { tags.formUnion(Tag.versions) }
        let ignored = withUnsafeBytes(of: Tag.ignored.littleEndian, Array.init)
        let removals = file.dynamicEntries
            .filter { tags.contains($0.tag) || $0.tag == Tag.library && missing.contains($0.value) }
            .map { Change(offset: $0.offset, bytes: ignored) }
        return removals + weakSymbols()
    }

    private func name(_ offset: UInt64) -> String? {
        guard let start = file.dynamic[Tag.names],
            let place = file.fileOffset(of: start &+ offset)
        else { return nil }
        return LittleEndian(bytes.bytes(at: place, count: 256)).string(0)
    }

    /// Makes each undefined global symbol (1) that a relocation uses weak (2).
    private func weakSymbols() -> [Change] {
        guard let table = file.dynamic[Tag.symbols].flatMap({ file.fileOffset(of: $0) }) else {
            return []
        }
        return ELFPointers(file: file, bytes: bytes).usedSymbols().sorted().compactMap { number in
            let offset = table + UInt64(number) * UInt64(ELFFile.symbolLength)
            let symbol = bytes.bytes(at: offset, count: 8)
            guard symbol.count == 8, symbol[4] >> 4 == 1, symbol[6] == 0, symbol[7] == 0 else {
                return nil
            }
            return Change(offset: offset + 4, bytes: [symbol[4] & 0xf | 0x20])
        }
    }
}
