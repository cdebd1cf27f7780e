/// A type-erased cursor.
public final class AnyCursor<Element>: Cursor {
    private let produce: () throws -> Element?
    private let visit: (((Element) throws -> Void) throws -> Void)?

    /// Creates a cursor that calls a closure for each element until the closure returns `nil`.
    public init(_ next: @escaping () throws -> Element?) {
        produce = next
        visit = nil
    }

    /// Creates a cursor over another cursor.
    public init<C: Cursor>(_ base: C) where C.Element == Element {
        produce = base.next
        visit = base.forEach
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
    public func forEach(_ body: (Element) throws -> Void) throws {
        if let visit { return try visit(body) }
        while let element = try produce() { try body(element) }
    }
}
