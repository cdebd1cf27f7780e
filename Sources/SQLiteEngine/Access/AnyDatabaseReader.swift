/// A type-erased database reader.
public final class AnyDatabaseReader: ForwardingDatabaseReader, @unchecked Sendable {
    /// Wraps a reader.
    public init(_ base: any DatabaseReader) { super.init(forwardingTo: base) }
}
