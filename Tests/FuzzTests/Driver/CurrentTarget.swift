/// The target that libFuzzer runs.
enum CurrentTarget {
    // Set once, before libFuzzer starts.
    nonisolated(unsafe) static var value: FuzzTarget?
    /// The generator of changes that depend on the target, such as the removal of a word.
    ///
    /// Only libFuzzer's thread uses it.
    nonisolated(unsafe) static var mutator: Mutator?
}

/// Applies one of libFuzzer's own changes to an input, and returns its new length.
@_silgen_name("LLVMFuzzerMutate")
private func changeBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int) -> Int

/// Changes an input, and returns its new length.
///
/// libFuzzer calls this function for each change. Half of the changes are libFuzzer's. Some of the
/// remaining changes start from a valid input, which libFuzzer rarely does.
@_cdecl("LLVMFuzzerCustomMutator")
func changeInput(
    _ bytes: UnsafeMutablePointer<UInt8>,
    _ count: Int,
    _ maximum: Int,
    _ seed: CUnsignedInt
) -> Int {
    guard seed % 2 == 0, CurrentTarget.mutator != nil else {
        return changeBytes(bytes, count, maximum)
    }
    CurrentTarget.mutator?.restart(seed: UInt64(seed))
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let changed =
        seed % 16 == 0 ? CurrentTarget.mutator?.next() : CurrentTarget.mutator?.next(after: input)
    let result = (changed ?? input).prefix(maximum)
    for (index, byte) in result.enumerated() { bytes[index] = byte }
    return result.count
}
