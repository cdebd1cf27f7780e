/// A cursor that skips the first elements of another cursor.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var toSkip: Int

    init(_ base: Base, count: Int) {
        requirement(count >= 0, "cannot drop a negative number of elements: \(count)")
        self.base = base
        toSkip = count
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Base.Element? {
        while toSkip > 0 {
            guard try base.next() != nil else { return nil }
            toSkip -= 1
        }
        return try base.next()
    }
}
