/// A cursor that transforms the elements of another cursor.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    private let base: Base
    private let transform: (Base.Element) throws -> Element

    init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
        self.base = base
        self.transform = transform
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Element? {
        guard let element = try base.next() else { return nil }
        return try transform(element)
    }

    /// Calls `body` with each remaining element.
    public func forEach(_ body: (Element) throws -> Void) throws {
        // swift-format-ignore: ReplaceForEachWithForLoop
        try base.forEach { try body(try transform($0)) }
    }
}
