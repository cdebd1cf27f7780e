/// A cursor that concatenates the cursors that another cursor produces.
public final class FlattenCursor<Base: Cursor>: Cursor
where Base.Element: Cursor {
    private let base: Base
    private var segment: Base.Element?

    init(_ base: Base) {
        self.base = base
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Base.Element.Element? {
        while true {
            if let element = try segment?.next() { return element }
            segment = try base.next()
            if segment == nil { return nil }
        }
    }
}
