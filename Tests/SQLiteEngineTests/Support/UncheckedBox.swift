/// A box that moves a value out of an access or to another thread.
///
/// `@unchecked Sendable`, because a test uses the box on one thread at a time.
final class UncheckedBox<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value?) { self.value = value }
}
