import CSQLite
import Telemetry

extension Database {
    /// Receives an error that SQLite logs: its code and a message in English.
    public typealias LogErrorFunction = @Sendable (ResultCode, String) -> Void

    private static let errorLog = Lock<LogErrorFunction?>(nil)

    /// The function to call for each error that SQLite logs in this process, on any thread.
    ///
    /// Set this before the first connection is opened: SQLite accepts a log function only before
    /// that (https://sqlite.org/errlog.html). The function must not use SQLite.
    public static var logError: LogErrorFunction? {
        get { errorLog.withLock { $0 } }
        set {
            errorLog.withLock { $0 = newValue }
            guard newValue != nil else { return }
            poolgauge_config_log(
                { _, code, message in
                    guard let log = Database.logError else { return }
                    log(ResultCode(rawValue: code), message.map { String(cString: $0) } ?? "")
                },
                nil
            )
        }
    }
}
