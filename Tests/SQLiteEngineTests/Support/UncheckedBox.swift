/// A box that moves a value out of its access, for tests of this misuse.
///
/// `@unchecked Sendable`, because a test uses the box on one thread at a time.
final class UncheckedBox<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value?) { self.value = value }
}
