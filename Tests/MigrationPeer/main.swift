import EngineMigrations
import GRDBMigrations

// Another process that migrates a file. A test holds it by delaying a line of its standard input.
//
//     MigrationPeer engine|grdb first|all|held|retried DATABASE queue|pool

let arguments = CommandLine.arguments
guard arguments.count == 5 else { fatalError("wrong arguments: \(arguments)") }
let usesPool = arguments[4] == "pool"
switch arguments[1] {
case "engine": try EngineMigrations.runPeer(arguments[2], path: arguments[3], usesPool: usesPool)
#if GRDB
case "grdb": try GRDBMigrations.runPeer(arguments[2], path: arguments[3], usesPool: usesPool)
#endif
default: fatalError("unknown library \(arguments[1])")
}
