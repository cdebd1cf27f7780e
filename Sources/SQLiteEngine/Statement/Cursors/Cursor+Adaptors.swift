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
