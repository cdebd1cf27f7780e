/// Stops the program with a message if a caller uses the library incorrectly.
///
/// Unlike `precondition`, this function also prints the message in release builds.
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
