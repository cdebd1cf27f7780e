import Dispatch

extension ValueObservation where Reducer: ValueReducer {
    /// Starts the observation.
    ///
    /// - Parameters:
    ///   - reader: Where values are fetched. It is kept open until the observation ends. A
    ///     snapshot, and a database that is opened for reading only, give one value.
    ///   - scheduler: Where values are told.
    ///   - onError: Called with the error that ends the observation.
    ///   - onChange: Called with each value.
    /// - Returns: A cancellable that ends the observation, at the latest when it is deallocated.
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

    /// Starts the observation, and tells values on the main actor.
    ///
    /// - Parameters:
    ///   - reader: Where values are fetched; see the other method.
    ///   - scheduler: Whether the first value is told at once or later.
    ///   - onError: Called with the error that ends the observation.
    ///   - onChange: Called with each value.
    /// - Returns: A cancellable that ends the observation, at the latest when it is deallocated.
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

    /// The values as a sequence; each loop over it starts the observation anew.
    ///
    /// - Parameters:
    ///   - reader: Where values are fetched.
    ///   - scheduler: Where the values pass by; in a task by default.
    ///   - bufferingPolicy: What becomes of values that the loop is too slow for.
    /// - Returns: A sequence that throws the error which ends the observation.
    public func values(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }

    /// One observation for many who want its values.
    ///
    /// - Parameters:
    ///   - reader: Where values are fetched.
    ///   - scheduler: Where values are told.
    ///   - extent: When it ends.
    /// - Returns: The observation, which the first one to want its values starts.
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
