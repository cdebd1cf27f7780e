/// A cursor that pairs the elements of another cursor with their indices, starting at 0.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
    private let base: Base
    private var number = 0

    init(_ base: Base) {
        self.base = base
    }

    /// Advances to the next pair and returns it, or returns `nil` at the end.
    public func next() throws -> (Int, Base.Element)? {
        guard let element = try base.next() else { return nil }
        defer { number += 1 }
        return (number, element)
    }

    /// Calls `body` with each remaining element.
    public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
        // swift-format-ignore: ReplaceForEachWithForLoop
        try base.forEach { element in
            defer { number += 1 }
            try body((number, element))
        }
    }
}
