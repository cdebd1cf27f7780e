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
