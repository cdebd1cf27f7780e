import Foundation
import GRDBTarget
import Scenarios
import Testing

struct LibraryTargetFactoryTests {
    @Test func everyProgramContainsTheEngineAndBareSQLite() {
        #expect(LibraryTargetFactory.has(.engine))
        #expect(LibraryTargetFactory.has(.raw))
    }

    #if !GRDB
    @Test func withoutGRDBTheErrorExplainsHowToBuildIt() {
        #expect(!LibraryTargetFactory.has(.grdb))
        let arm = Arm(name: "grdb-pool", kind: .pool, library: .grdb)
        let error = #expect(throws: RunError.self) {
            try LibraryTargetFactory().open(arm, at: "/nowhere/database.sqlite")
        }
        #expect(error?.message.contains("swift build -c release --traits default,GRDB") == true)
        #expect(error?.message.contains("POOLGAUGE_TRAITS=GRDB ./run") == true)
    }
    #endif
}
