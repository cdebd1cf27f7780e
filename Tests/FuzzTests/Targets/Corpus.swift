import Foundation

/// The files in `Tests/FuzzTests/Corpus` and other files of the package.
enum Corpus {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let package = folder.deletingLastPathComponent().deletingLastPathComponent()

    /// Returns a file of the package, or no bytes if it is missing.
    static func file(_ path: String) -> [UInt8] {
        [UInt8]((try? Data(contentsOf: package.appendingPathComponent(path))) ?? Data())
    }

    /// Returns the files in a folder of the package, in the order of their names.
    static func files(in path: String) -> [[UInt8]] {
        let folder = package.appendingPathComponent(path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { file("\(path)/\($0)") }
    }

    /// Returns the inputs in the folder of a target.
    static func inputs(of target: String) -> [[UInt8]] {
        files(in: "Tests/FuzzTests/Corpus/\(target)")
    }

    /// Returns a JSON text on which the edits of a target are based.
    static func base(_ name: String) -> String {
        String(decoding: file("Tests/FuzzTests/Base/\(name).json"), as: UTF8.self)
    }
}
