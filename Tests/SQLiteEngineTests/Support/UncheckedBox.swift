/// A box that carries a value out of its access, for tests that detect this misuse.
///
/// `@unchecked Sendable`: the test uses the box from one thread at a time.
final class UncheckedBox<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value?) { self.value = value }
}
