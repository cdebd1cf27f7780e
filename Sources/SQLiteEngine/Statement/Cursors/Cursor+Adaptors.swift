extension Cursor {
    /// Transforms each element.
    public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
        MapCursor(self, transform)
    }

    /// Keeps the elements that satisfy a predicate.
    public func filter(
        _ isIncluded: @escaping (Element) throws -> Bool
    ) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
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
    public func enumerated() -> EnumeratedCursor<Self> { EnumeratedCursor(self) }

    /// Skips the first element.
    public func dropFirst() -> DropFirstCursor<Self> { dropFirst(1) }

    /// Skips the first `n` elements.
    public func dropFirst(_ n: Int) -> DropFirstCursor<Self> { DropFirstCursor(self, count: n) }

    /// Skips the first elements that satisfy a predicate.
    public func drop(
        while predicate: @escaping (Element) throws -> Bool
    ) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// Ends after `maxLength` elements.
    public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
        PrefixCursor(self, maxLength: maxLength)
    }

    /// Ends at the first element that does not satisfy a predicate.
    public func prefix(
        while predicate: @escaping (Element) throws -> Bool
    ) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
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
    public func joined() -> FlattenCursor<Self> { FlattenCursor(self) }
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
