import Foundation
import Isolation

/// The standard output of the process.
enum PeerOutput {
    /// Writes a line, in one call if possible.
    ///
    /// All lines written before a kill are therefore complete in the pipe.
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(
                    STDOUT_FILENO,
                    buffer.baseAddress.map { $0 + sent },
                    bytes.count - sent
                )
            }
            guard count > 0 else { exit(74) }
            sent += count
        }
    }

    /// Writes a transaction as JSON.
    static func write(_ transaction: HistoryTransaction) {
        guard let json = try? JSONEncoder().encode(transaction) else { exit(70) }
        write(String(decoding: json, as: UTF8.self))
    }
}
