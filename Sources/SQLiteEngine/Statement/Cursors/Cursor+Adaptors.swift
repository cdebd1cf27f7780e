/// A cursor that transforms each element of another cursor.
public typealias MapCursor<Base: Cursor, Element> = AnyCursor<Element>

/// A cursor over the elements of another cursor that satisfy a predicate.
public typealias FilterCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over pairs of an index and an element of another cursor.
public typealias EnumeratedCursor<Base: Cursor> = AnyCursor<(Int, Base.Element)>

/// A cursor that skips the first elements of another cursor.
public typealias DropFirstCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor that skips the first elements of another cursor that satisfy a predicate.
public typealias DropWhileCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over the first elements of another cursor.
public typealias PrefixCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over the first elements of another cursor that satisfy a predicate.
public typealias PrefixWhileCursor<Base: Cursor> = AnyCursor<Base.Element>

/// A cursor over the elements of the cursors that another cursor returns.
public typealias FlattenCursor<Base: Cursor> = AnyCursor<Base.Element.Element>
where Base.Element: Cursor

extension Cursor {
    /// Transforms each element.
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        AnyCursor {
            try self.next().map(transform)
        } forEach: { body in
            // swift-format-ignore: ReplaceForEachWithForLoop
            try self.forEach { try body(transform($0)) }
        }
    }

    /// Keeps the elements that satisfy a predicate.
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        AnyCursor {
            try self.first(where: isIncluded)
        } forEach: { body in
            // swift-format-ignore: ReplaceForEachWithForLoop
            try self.forEach { if try isIncluded($0) { try body($0) } }
        }
    }

    /// Transforms each element and keeps the results that are not `nil`.
    public func compactMap<ElementOfResult>(
        _ transform: @escaping (Element) throws -> ElementOfResult?
    ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
        map(transform).filter { $0 != nil }.map { element in
            guard let element else { fatalError("the filter passed nil") }
            return element
        }
    }

    /// Pairs each element with its index, starting at 0.
    public func enumerated() -> EnumeratedCursor<Self> {
        var count = 0
        return map { element in
            defer { count += 1 }
            return (count, element)
        }
    }

    /// Skips the first `n` elements.
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

    /// Skips the first elements that satisfy a predicate.
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

    /// Ends after `maxLength` elements.
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
        requirement(maxLength >= 0, "cannot take a negative number of elements: \(maxLength)")
        var remaining = maxLength
        return AnyCursor {
            guard remaining > 0, let element = try self.next() else { return nil }
            remaining -= 1
            return element
        }
    }

    /// Ends at the first element that does not satisfy a predicate.
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

    /// Transforms each element into a sequence and concatenates the sequences.
    public func flatMap<SegmentOfResult: Sequence>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
        flatMap { try AnyCursor(transform($0)) }
    }

    /// Transforms each element into a cursor and concatenates the cursors.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
        map(transform).joined()
    }
}

extension Cursor where Element: Cursor {
    /// Concatenates the cursors.
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
    /// Concatenates the sequences.
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
        flatMap(\.self)
    }
}

extension Sequence {
    /// Transforms each element into a cursor and concatenates the cursors.
    public func flatMap<SegmentOfResult: Cursor>(
        _ transform: @escaping (Iterator.Element) throws -> SegmentOfResult
    ) -> FlattenCursor<MapCursor<AnyCursor<Iterator.Element>, SegmentOfResult>> {
        AnyCursor(self).flatMap(transform)
    }
}
