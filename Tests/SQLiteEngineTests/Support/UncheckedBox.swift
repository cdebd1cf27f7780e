/// A box that a test uses to move a value out of its access, which is a misuse that the test
/// detects.
///
/// `@unchecked Sendable`, because a test uses the box on one thread at a time.
final class UncheckedBox<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value?) { self.value = value }
}
