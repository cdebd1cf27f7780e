// The program that runs the tests on Linux. All tests use Swift Testing. The package manager's own
// program would also search for tests of XCTest in an index, which builds then need to write.
import Testing

@main
struct Tests {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
