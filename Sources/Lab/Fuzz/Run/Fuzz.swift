import FuzzMemory
import FuzzTargets
import Glibc

/// Passes libFuzzer's inputs to a target.
///
/// The environment variable FUZZ_TARGET names the target. The arguments belong to libFuzzer, which restarts this
/// program with them.
@main struct Fuzz {
    static func main() {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard FuzzTarget.all.contains(where: { $0.name == name }) else {
            let names = FuzzTarget.all.map(\.name).joined(separator: " ")
            complain("'\(name)' is not a target; set FUZZ_TARGET to one of: \(names)")
            exit(2)
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
    }

    static let target = FuzzTarget.all.first { $0.name == getenv("FUZZ_TARGET").map { String(cString: $0) } }

    static let memory = MemoryMeter(
        begin: { scenebus_fuzz_memory_begin() }, peak: { Int(scenebus_fuzz_memory_peak()) })

    static func complain(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try Fuzz.target?.check(Array(UnsafeBufferPointer(start: start, count: count)), memory: Fuzz.memory)
    } catch {
        Fuzz.complain("\(Fuzz.target?.name ?? ""): \(error)")
        abort()
    }
    return 0
}
