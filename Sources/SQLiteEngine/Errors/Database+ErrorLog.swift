import CSQLite
import Telemetry

extension Database {
    /// A function that receives the code and the English message of an error that SQLite logs.
    public typealias LogErrorFunction = @Sendable (ResultCode, String) -> Void

    private static let errorLog = Lock<LogErrorFunction?>(nil)

    /// The function to call for each error that SQLite logs in this process, on any thread.
    ///
    /// Set this property before the first connection is opened, because SQLite does not accept a
    /// log function later. The function must not use SQLite. See https://sqlite.org/errlog.html.
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
