/// A type-erased database reader.
///
/// `@unchecked Sendable`: the state is immutable, as in ``ForwardingDatabaseReader``.
public final class AnyDatabaseReader: ForwardingDatabaseReader, @unchecked Sendable {
    /// Wraps a reader.
    public init(_ base: any DatabaseReader) { super.init(forwardingTo: base) }
}
