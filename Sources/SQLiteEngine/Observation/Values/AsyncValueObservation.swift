/// An asynchronous sequence of an observation's values.
///
/// The observation ends when the loop ends, when the loop's task is canceled, or when an error
/// occurs. The loop throws the error.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    /// The policy for buffering values that the loop has not consumed yet.
    public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation
        .BufferingPolicy
    /// The type of iterator that ``makeAsyncIterator()`` returns.
    public typealias AsyncIterator = Iterator

    private let bufferingPolicy: BufferingPolicy
    private let start: ObservationStart<Element>

    init(bufferingPolicy: BufferingPolicy, start: @escaping ObservationStart<Element>) {
        self.bufferingPolicy = bufferingPolicy
        self.start = start
    }

    /// Starts the observation.
    public func makeAsyncIterator() -> Iterator {
        let (stream, values) = AsyncThrowingStream.makeStream(
            of: Element.self,
            bufferingPolicy: bufferingPolicy
        )
        let cancellable = start({ values.finish(throwing: $0) }, { values.yield($0) })
        // The closure captures the cancellable weakly, so releasing the iterator ends the
        // observation.
        values.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
        return Iterator(base: stream.makeAsyncIterator(), cancellable: cancellable)
    }

    /// An iterator over the values of one observation.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<Element, any Error>.AsyncIterator
        fileprivate let cancellable: AnyDatabaseCancellable

        /// Returns the next value, or `nil` if the task is canceled.
        ///
        /// - Throws: The error that ended the observation.
        public mutating func next() async throws -> Element? { try await base.next() }
    }
}
