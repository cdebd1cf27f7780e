import Dispatch

extension ValueObservation where Reducer: ValueReducer {
    /// Starts the observation.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from. The observation retains it until the
    ///     observation ends. A snapshot or a read-only database delivers one value.
    ///   - scheduler: The scheduler that delivers values.
    ///   - onError: A closure to call with the error that ends the observation.
    ///   - onChange: A closure to call with each value.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        for events in events { events.willStart?() }
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
    ///   - reader: The database to fetch values from. The observation retains it until the
    ///     observation ends.
    ///   - scheduler: The scheduler, which delivers the first value immediately or later.
    ///   - onError: A closure to call with the error that ends the observation.
    ///   - onChange: A closure to call with each value.
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
    ///   - scheduler: The scheduler that passes values to the sequence. Defaults to a task.
    ///   - bufferingPolicy: The policy for buffering values that the loop has not consumed yet.
    /// - Returns: A sequence of the values, which throws the error that ends the observation, if
    ///   any.
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
    ///   - extent: The lifetime of the shared observation.
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

typealias ObservationStart<Value> =
    @Sendable (
        _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> AnyDatabaseCancellable
