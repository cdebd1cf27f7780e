// Runs one target with libFuzzer (https://llvm.org/docs/LibFuzzer.html).
//
//     poolgauge-fuzz --list
//     poolgauge-fuzz --write TARGET FOLDER DICTIONARY
//     poolgauge-fuzz TARGET [OPTIONS OF LIBFUZZER] [FOLDERS WITH INPUTS]
import Foundation

/// libFuzzer's entry point for programs with their own `main`.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("poolgauge-fuzz: \(message)\n".utf8))
    exit(64)
}

func target(named name: String) -> FuzzTarget {
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fail("there is no target '\(name)'; --list prints all targets")
    }
    return target
}

/// Writes a target's valid inputs and its words to files.
func write(_ target: FuzzTarget, to folder: String, dictionary: String) throws {
    let inputs = target.seeds + Corpus.inputs(of: target.name)
    for (number, input) in inputs.enumerated() {
        try Data(input).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
    }
    let lines = target.words.map { word in
        "\""
            + word.utf8.map { byte in
                let digits = String(byte, radix: 16)
                return "\\x" + (digits.count == 1 ? "0" : "") + digits
            }.joined() + "\"\n"
    }
    try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: dictionary))
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "--list": for target in FuzzTarget.all { print(target.name, target.maximumLength) }
case "--write" where words.count == 4:
    do {
        try write(target(named: words[2]), to: words[3], dictionary: words[4])
    } catch { fail("\(error)") }
case let name?:
    // libFuzzer calls a C function, which cannot capture the target.
    let current = target(named: name)
    CurrentTarget.value = current
    CurrentTarget.mutator = Mutator(
        current,
        inputs: current.seeds + Corpus.inputs(of: name),
        seed: 0
    )
    var arguments = CommandLine.unsafeArgv
    var count = CommandLine.argc
    // Omit the target's name, which libFuzzer would interpret as a folder.
    for index in 1..<Int(count) { arguments[index] = arguments[index + 1] }
    count -= 1
    exit(
        runFuzzer(&count, &arguments) { bytes, length in
            let input = UnsafeBufferPointer(start: bytes, count: length)
            do { try CurrentTarget.value?.read(Array(input)) } catch {
                fatalError("wrong result: \(error)")
            }
            return 0
        }
    )
case nil: fail("specify a target; --list prints all targets")
}
