import Testing

@testable import SQLiteWatch

/// Tests that the name of an interpreter's process includes the script.
struct ProcessNameTests {
    @Test(arguments: [
        (["/usr/bin/python3", "-u", "/srv/app/report.py", "--all"], "python3 report.py"),
        (["python3", "-c", "import this"], "python3"),
        (["python3"], "python3"),
        ([], "python3"),
    ])
    func theNameIncludesTheScript(arguments: [String], expected: String) {
        #expect(ProcessFacts.name(of: "python3", arguments: arguments) == expected)
    }

    @Test func otherProgramsKeepTheirNames() {
        #expect(ProcessFacts.name(of: "postgres", arguments: ["postgres", "x"]) == "postgres")
        #expect(ProcessFacts.name(of: "shop", arguments: ["shop", "serve.py"]) == "shop")
    }
}
