/// Takes something out of the access that it belongs to, for a test of what happens then.
///
/// `@unchecked Sendable`: the test uses it from one thread at a time.
final class UncheckedBox<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value?) { self.value = value }
}
