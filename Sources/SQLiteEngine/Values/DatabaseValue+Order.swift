extension DatabaseValue {
    /// Returns whether SQLite sorts `lhs` before `rhs`.
    ///
    /// `NULL` comes first, followed by numbers, text in byte order, and blobs.
    static func < (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
        switch (lhs.storage, rhs.storage) {
        case (.int64(let left), .int64(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.int64(let left), .double(let right)): Double(left) < right
        case (.double(let left), .int64(let right)): left < Double(right)
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
        default: lhs.storage.rank < rhs.storage.rank
        }
    }
}

extension DatabaseValue.Storage {
    fileprivate var rank: Int {
        switch self {
        case .null: 0
        case .int64, .double: 1
        case .string: 2
        case .blob: 3
        }
    }
}
