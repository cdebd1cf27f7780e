#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum SystemErrorText {
    static func text(_ code: Int32) -> String {
        switch code {
        case EACCES, EPERM:
            "permission denied; run as its owner or as root"
        case ETIMEDOUT:
            "its file system does not respond"
        case ECHILD:
            "the helper process that reads it ended"
        default: String(cString: strerror(code))
        }
    }
}
