/// A cursor over the first elements of another cursor.
public final class PrefixCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var remaining: Int

    init(_ base: Base, maxLength: Int) {
        requirement(maxLength >= 0, "cannot take a negative number of elements: \(maxLength)")
        self.base = base
        remaining = maxLength
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Base.Element? {
        guard remaining > 0, let element = try base.next() else { return nil }
        remaining -= 1
        return element
    }
}
