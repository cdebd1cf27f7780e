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
