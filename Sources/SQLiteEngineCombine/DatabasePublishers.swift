#if canImport(Combine)
import Combine
import Dispatch
#else
import Dispatch
import OpenCombine
import OpenCombineDispatch
#endif

/// The publishers for accesses and observations.
///
/// The publishers use Combine if the system provides it, and OpenCombine otherwise.
public enum DatabasePublishers {
    #if canImport(Combine)
    /// The type of the main dispatch queue's scheduler.
    public typealias MainScheduler = DispatchQueue

    /// The main dispatch queue as a scheduler.
    public static var mainScheduler: MainScheduler { .main }
    #else
    /// The type of the main dispatch queue's scheduler.
    public typealias MainScheduler = DispatchQueue.OCombine

    /// The main dispatch queue as a scheduler.
    public static var mainScheduler: MainScheduler { DispatchQueue.main.ocombine }
    #endif
}
