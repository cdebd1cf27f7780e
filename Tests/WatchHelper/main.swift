import Foundation
import SQLiteWatch

#if os(Linux)
// Without arguments, this program is the helper process of a session. With "watch", a path, and a
// number of milliseconds, it watches a database while a test traces its system calls.
let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "watch", let time = Int(arguments[3]) {
    let session = try WatchSession(paths: [arguments[2]], helper: [arguments[0]])
    session.run(for: .milliseconds(time))
    for report in session.reports() { print(try WatchJSON.line(of: report), terminator: "") }
} else {
    WatchHelper.run()
}
#endif
