/// A cursor of some elements, whatever makes them.
public final class AnyCursor<Element>: Cursor {
    private let produce: () throws -> Element?

    /// Creates a cursor that calls a closure for each element, until it gives nil.
    public init(_ next: @escaping () throws -> Element?) {
        produce = next
    }

    /// Creates a cursor over another one.
    public init<C: Cursor>(_ base: C) where C.Element == Element {
        produce = base.next
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

    /// Produces the next element; nil at the end.
    public func next() throws -> Element? { try produce() }
}

@available(*, unavailable)
extension AnyCursor: Sendable {}
