import Foundation

/// How much later than asked for the system may wake a thread.
enum TimerSlack {
    /// Lets the calling thread wake up as exactly as the system can; it does nothing where the
    /// system has no such setting.
    ///
    /// Linux rounds wake-ups by 50 µs otherwise, which would count as lag in every open loop. The
    /// setting is a file because `prctl` is variadic, which Swift does not import.
    static func minimize() {
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
