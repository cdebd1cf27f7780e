/// A source that produces elements one at a time, and can throw an error for each element.
///
/// Iteration consumes the cursor. A cursor is a reference type, so all references to it share the
/// same position.
public protocol Cursor<Element>: AnyObject {
    /// The type of the elements that the cursor produces.
    associatedtype Element

    /// Advances to the next element and returns it, or returns `nil` at the end.
    func next() throws -> Element?

    /// Calls `body` with each remaining element.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    /// Calls `body` with each remaining element.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }

    /// Whether no element remains.
    ///
    /// Reading this property consumes an element.
    public var isEmpty: Bool { get throws { try next() == nil } }

    /// Returns whether an element satisfies a predicate.
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        try first(where: predicate) != nil
    }

    /// Returns the first element that satisfies a predicate.
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// Returns the largest element according to a strict order, or `nil` if there are no elements.
    public func max(
        by areInIncreasingOrder: (Element, Element) throws -> Bool
    ) throws -> Element? {
        guard var largest = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(largest, element) { largest = element }
        }
        return largest
    }

    /// Returns the smallest element according to a strict order, or `nil` if there are no elements.
    public func min(
        by areInIncreasingOrder: (Element, Element) throws -> Bool
    ) throws -> Element? {
        try max { try areInIncreasingOrder($1, $0) }
    }

    /// Combines all elements into a single value.
    public func reduce<Result>(
        _ initialResult: Result,
        _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        try reduce(into: initialResult) { $0 = try nextPartialResult($0, $1) }
    }

    /// Combines all elements into a single value, which the closure updates in place.
    public func reduce<Result>(
        into initialResult: Result,
        _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        try forEach { try updateAccumulatingResult(&result, $0) }
        return result
    }

    /// Returns all elements except the last `n`.
    public func dropLast(_ n: Int = 1) throws -> [Element] {
        requirement(n >= 0, "cannot drop a negative number of elements: \(n)")
        return try Array(self).dropLast(n)
    }

    /// Returns the last `maxLength` elements, or all elements if there are fewer.
    public func suffix(_ maxLength: Int) throws -> [Element] {
        requirement(maxLength >= 0, "cannot take a negative number of elements: \(maxLength)")
        var kept: [Element] = []
        var oldest = 0
        try forEach { element in
            if kept.count < maxLength {
                kept.append(element)
            } else if maxLength > 0 {
                kept[oldest] = element
                oldest = (oldest + 1) % maxLength
            }
        }
        return Array(kept[oldest...] + kept[..<oldest])
    }
}

extension Cursor where Element: Equatable {
    /// Returns whether an element equals `element`.
    public func contains(_ element: Element) throws -> Bool { try contains { $0 == element } }
}

extension Cursor where Element: Comparable {
    /// Returns the largest element, or `nil` if there are no elements.
    public func max() throws -> Element? { try max(by: <) }

    /// Returns the smallest element, or `nil` if there are no elements.
    public func min() throws -> Element? { try min(by: <) }
}

extension Cursor where Element: StringProtocol {
    /// Returns the concatenated strings, with a separator between them.
    public func joined(separator: String = "") throws -> String {
        var result = ""
        var isFirst = true
        try forEach { element in
            if !isFirst { result += separator }
            isFirst = false
            result += element
        }
        return result
    }
}

/// A type-erased cursor over the elements that a closure, a sequence, or another cursor provides.
public final class AnyCursor<Element>: Cursor {
    private let produce: () throws -> Element?
    private let visit: ((Element) throws -> Void) throws -> Void

    init(
        next: @escaping () throws -> Element?,
        forEach: @escaping ((Element) throws -> Void) throws -> Void
    ) {
        produce = next
        visit = forEach
    }

    /// Creates a cursor that calls a closure for each element until the closure returns `nil`.
    public convenience init(_ next: @escaping () throws -> Element?) {
        self.init(next: next) { body in
            while let element = try next() { try body(element) }
        }
    }

    /// Creates a cursor over another cursor.
    public convenience init<C: Cursor>(_ base: C) where C.Element == Element {
        self.init(next: base.next, forEach: base.forEach)
    }

    /// Creates a cursor over an iterator.
    public convenience init(iterator: some IteratorProtocol<Element>) {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// Creates a cursor over a sequence.
    public convenience init(_ sequence: some Sequence<Element>) {
        self.init(iterator: sequence.makeIterator())
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Element? { try produce() }

    /// Calls `body` with each remaining element.
    public func forEach(_ body: (Element) throws -> Void) throws { try visit(body) }
}

/// A cursor that transforms each element of another cursor.
public typealias MapCursor<Base: Cursor, Element> = AnyCursor<Element>

/// A cursor over the elements of another cursor that satisfy a predicate.
public typealias FilterCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over pairs of an index and an element of another cursor.
public typealias EnumeratedCursor<Base: Cursor> = AnyCursor<(Int, Base.Element)>

/// A cursor that skips the first elements of another cursor.
public typealias DropFirstCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor that skips the initial elements of another cursor that satisfy a predicate.
public typealias DropWhileCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over the first elements of another cursor.
public typealias PrefixCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over the initial elements of another cursor that satisfy a predicate.
public typealias PrefixWhileCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over the elements of the cursors that another cursor produces.
public typealias FlattenCursor<Base: Cursor> = AnyCursor<Base.Element.Element>
where Base.Element: Cursor

extension Cursor {
    /// Returns a cursor that transforms each element.
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        AnyCursor {
            try self.next().map(transform)
        } forEach: { body in
            // swift-format-ignore: ReplaceForEachWithForLoop
            try self.forEach { try body(transform($0)) }
        }
    }

    /// Returns a cursor over the elements that satisfy a predicate.
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        AnyCursor {
            try self.first(where: isIncluded)
        } forEach: { body in
            // swift-format-ignore: ReplaceForEachWithForLoop
            try self.forEach { if try isIncluded($0) { try body($0) } }
        }
    }

    /// Returns a cursor that transforms each element and skips results of `nil`.
    public func compactMap<ElementOfResult>(
        _ transform: @escaping (Element) throws -> ElementOfResult?
    ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
        map(transform).filter { $0 != nil }.map { element in
            guard let element else { fatalError("the filter passed nil") }
            return element
        }
    }

    /// Returns a cursor that pairs each element with its index, starting at 0.
    public func enumerated() -> EnumeratedCursor<Self> {
        var count = 0
        return map { element in
            defer { count += 1 }
            return (count, element)
        }
    }

    /// Returns a cursor that skips the first `n` elements.
    public func dropFirst(_ n: Int = 1) -> DropFirstCursor<Self> {
        requirement(n >= 0, "cannot drop a negative number of elements: \(n)")
        var toSkip = n
        return AnyCursor {
            while toSkip > 0 {
                guard try self.next() != nil else { return nil }
                toSkip -= 1
            }
            return try self.next()
        }
    }

    /// Returns a cursor that skips the initial elements that satisfy a predicate.
    public func drop(
        while predicate: @escaping (Element) throws -> Bool
    ) -> DropWhileCursor<Self> {
        var hasDropped = false
        return AnyCursor {
            if hasDropped { return try self.next() }
            let element = try self.first { try !predicate($0) }
            hasDropped = true
            return element
        }
    }

    /// Returns a cursor that ends after `maxLength` elements.
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
        requirement(maxLength >= 0, "cannot take a negative number of elements: \(maxLength)")
        var remaining = maxLength
        return AnyCursor {
            guard remaining > 0, let element = try self.next() else { return nil }
            remaining -= 1
            return element
        }
    }

    /// Returns a cursor that ends before the first element that does not satisfy a predicate.
    public func prefix(
        while predicate: @escaping (Element) throws -> Bool
    ) -> PrefixWhileCursor<Self> {
        var isDone = false
        return AnyCursor {
            guard !isDone, let element = try self.next(), try predicate(element) else {
                isDone = true
                return nil
            }
            return element
        }
    }

    /// Returns a cursor that transforms each element into a sequence and concatenates the
    /// sequences.
    public func flatMap<SegmentOfResult: Sequence>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
        flatMap { try AnyCursor(transform($0)) }
    }

    /// Returns a cursor that transforms each element into a cursor and concatenates the cursors.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
        map(transform).joined()
    }
}

extension Cursor where Element: Cursor {
    /// Returns a cursor over the elements of the concatenated cursors.
    public func joined() -> FlattenCursor<Self> {
        var segment: Element?
        return AnyCursor {
            while true {
                if let element = try segment?.next() { return element }
                segment = try self.next()
                if segment == nil { return nil }
            }
        }
    }
}

extension Cursor where Element: Sequence {
    /// Returns a cursor over the elements of the concatenated sequences.
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
        flatMap(\.self)
    }
}

extension Sequence {
    /// Returns a cursor that transforms each element into a cursor and concatenates the cursors.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Iterator.Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<AnyCursor<Iterator.Element>, SegmentOfResult>> {
        AnyCursor(self).flatMap(transform)
    }
}

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
