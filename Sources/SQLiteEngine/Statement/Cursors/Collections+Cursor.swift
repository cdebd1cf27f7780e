// Some cursors iterate faster in `forEach` than in a loop over `next`, so these methods call
// `forEach`.

extension RangeReplaceableCollection {
    /// Creates a collection from the elements of a cursor, with the given minimum capacity.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int = 0) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Appends the elements of a cursor.
    @inlinable
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        // swift-format-ignore: ReplaceForEachWithForLoop
        try newElements.forEach { append($0) }
    }
}

extension Set {
    /// Creates a set from the elements of a cursor, with the given minimum capacity.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int = 0) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// Returns the union of the set and the elements of a cursor.
    @inlinable
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Inserts the elements of a cursor.
    @inlinable
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        // swift-format-ignore: ReplaceForEachWithForLoop
        try cursor.forEach { insert($0) }
    }

    /// Returns the elements that are in both the set and a cursor.
    @inlinable
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        try intersection(Set(cursor))
    }

    /// Removes the elements that are not in a cursor.
    @inlinable
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        formIntersection(try Set(cursor))
    }
}

extension Dictionary {
    /// Creates a dictionary that groups the elements of a cursor, with the given minimum capacity.
    public init<C: Cursor>(
        minimumCapacity: Int = 0,
        grouping cursor: C,
        by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        // swift-format-ignore: ReplaceForEachWithForLoop
        try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
    }

    /// Creates a dictionary from the key-value pairs of a cursor, with the given minimum capacity.
    ///
    /// It is a fatal error if a key occurs more than once.
    public init(
        minimumCapacity: Int = 0,
        uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>
    ) throws {
        self.init(minimumCapacity: minimumCapacity)
        // swift-format-ignore: ReplaceForEachWithForLoop
        try keysAndValues.forEach { key, value in
            requirement(updateValue(value, forKey: key) == nil, "duplicate key: \(key)")
        }
    }
}
