import Foundation

package enum TimerSlack {
    /// Minimizes the wake-up delay for the calling thread, if the system supports it.
    ///
    /// By default, Linux delays wake-ups by up to 50 µs, which would appear as lag in every open
    /// loop. This method writes to a file because Swift does not import the variadic `prctl`
    /// function.
    package static func minimize() {
        #if os(Linux)
        var link = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/thread-self", &link, link.count)
        guard length > 0 else { return }
        let bytes = link[..<length].map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        guard let thread = path.split(separator: "/").last else { return }
        let descriptor = open("/proc/\(thread)/timerslack_ns", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "1000", 4)
        close(descriptor)
        #endif
    }
}
