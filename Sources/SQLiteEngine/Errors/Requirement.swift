/// Stops the program when it uses the library in a way that cannot go well, and says why.
///
/// In release builds, too: there `precondition` stops without a word.
@inlinable
@inline(__always)
func requirement(
    _ isMet: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard isMet else { fatalError(message(), file: file, line: line) }
}
