import Dispatch

extension ValueObservation where Reducer: ValueReducer {
    /// Starts the observation.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from, which is retained until the observation ends.
    ///     A snapshot or a read-only database delivers one value.
    ///   - scheduler: The scheduler that delivers values.
    ///   - onError: A closure that is called with the error that ends the observation.
    ///   - onChange: A closure that is called with each value.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        events.willStart?()
        let observed = ObservedValue(
            self,
            in: reader,
            scheduling: scheduler,
            onError: onError,
            onChange: onChange
        )
        observed.start()
        return AnyDatabaseCancellable { observed.cancel() }
    }

    /// Starts the observation, and delivers values on the main actor.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from, which is retained until the observation ends.
    ///   - scheduler: Determines whether the first value is delivered immediately or later.
    ///   - onError: A closure that is called with the error that ends the observation.
    ///   - onChange: A closure that is called with each value.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    @preconcurrency @MainActor
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let anyScheduler: some ValueObservationScheduler = scheduler
        return start(
            in: reader,
            scheduling: anyScheduler,
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value in MainActor.assumeIsolated { onChange(value) } }
        )
    }

    /// Returns the values as an asynchronous sequence.
    ///
    /// Each loop over the sequence starts a new observation.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from.
    ///   - scheduler: The scheduler that passes values to the sequence. By default, a task passes
    ///     them.
    ///   - bufferingPolicy: How values are buffered for a loop that is slower than the observation.
    /// - Returns: A sequence of the values. It throws the error that ends the observation, if any.
    public func values(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }

    /// Returns an observation that many clients share.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from.
    ///   - scheduler: The scheduler that delivers values.
    ///   - extent: When the shared observation ends.
    /// - Returns: The shared observation, which starts with its first client.
    public func shared(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(scheduling: scheduler, extent: extent) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

/// Starts an observation with closures for its error and its values.
typealias ObservationStart<Value> =
    @Sendable (
        _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> AnyDatabaseCancellable
