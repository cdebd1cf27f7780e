#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Errors of the system, in words that say what to do.
enum SystemErrorText {
    /// The words for an `errno`.
    static func text(_ code: Int32) -> String {
        switch code {
        case EACCES, EPERM:
            "this user may not read it; run as its owner, or as root"
        case ETIMEDOUT:
            "its file system does not answer"
        default: String(cString: strerror(code))
        }
    }
}
