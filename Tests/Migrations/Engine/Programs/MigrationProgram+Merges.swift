#if ENGINE_MIGRATIONS || GRDB
#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

extension MigrationProgram {
    /// A program whose second version merges migrations of the first version.
    private static func merging(
        _ name: String,
        afterApplying target: String?,
        _ newVersion: @escaping @Sendable (Log, inout DatabaseMigrator) -> Void
    ) -> MigrationProgram {
        let new: Phase = { session in
            let log = Log()
            var migrator = log.tables("v1")
            newVersion(log, &migrator)
            log.table("v5", &migrator)
            try session.migrate(migrator, log)
            try session.migrate(migrator, log)
        }
        guard let target else { return MigrationProgram(name, [new]) }
        return MigrationProgram(
            name,
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("v1", "v2", "v3", "v4", "v5"), log, upTo: target)
                },
                new,
            ]
        )
    }

    private static let likeTheLast: @Sendable (Log, inout DatabaseMigrator) -> Void = {
        $0.merged("v4", ["v2", "v3"], creating: ["v2", "v3", "v4"], &$1)
    }

    private static let withANewName: @Sendable (Log, inout DatabaseMigrator) -> Void = {
        $0.merged("v4-new", ["v2", "v3", "v4"], creating: ["v2", "v3", "v4"], &$1)
    }

    /// Migrations that replace others.
    static let merges =
        [nil, "v1", "v2", "v3", "v4", "v5"].flatMap { (target: String?) in
            [
                merging("merged, after \(target ?? "nothing")", afterApplying: target, likeTheLast),
                merging(
                    "merged with a new name, after \(target ?? "nothing")",
                    afterApplying: target,
                    withANewName
                ),
            ]
        } + [
            merging("merging itself", afterApplying: "v3") {
                $0.merged("v4", ["v2", "v3", "v4"], creating: ["v2", "v3", "v4"], &$1)
            },
            merging("merging unknown migrations", afterApplying: "v2") {
                $0.merged("v4", ["v2", "v3", "x", "y"], creating: ["v2", "v3", "v4"], &$1)
            },
            merging("merging a registered migration", afterApplying: nil) {
                $0.table("v2", &$1)
                $0.merged("v4", ["v2"], creating: ["v4"], &$1)
            },
            merging("merging twice", afterApplying: "v3") {
                $0.merged("v3", ["v2"], creating: ["v2", "v3"], &$1)
                $0.merged("v4", ["v3", "v2"], creating: ["v4"], &$1)
            },
            merging("named like the first", afterApplying: "v3") {
                $0.merged("v2", ["v3"], creating: ["v2", "v3"], &$1)
            },
            merging("a merged migration that fails", afterApplying: "v2") { log, migrator in
                migrator.registerMigration("v4", merging: ["v2", "v3"]) { db, applied in
                    log.add("runs v4 after \(applied.sorted())")
                    throw Refusal(description: "cannot merge")
                }
            },
        ]
}
#endif
