import Glibc
import ZeroMQ

/// Reads standard input line by line: the commands of `scenebus bench` to a running peer.
@MainActor
final class LineInput {
    private var source: DescriptorSource?
    private var rest: [UInt8] = []

    /// - Parameters:
    ///   - onLine: called with each line.
    ///   - onEnd: called once, when the parent has closed the input or ended.
    init(onLine: @escaping @MainActor (String) -> Void, onEnd: @escaping @MainActor () -> Void) {
        source = DescriptorSource(STDIN_FILENO) { [weak self] in self?.read(onLine, onEnd) }
    }

    private func read(_ onLine: @MainActor (String) -> Void, _ onEnd: @MainActor () -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else {
            source?.cancel()
            return onEnd()
        }
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest.removeSubrange(...end)
            onLine(line)
        }
    }
}

extension LineInput {
    /// Passes on the lines of standard input until it ends.
    @MainActor
    static func commands(_ onLine: @escaping @MainActor (String) -> Void) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let input = LineInput(onLine: onLine) { end.finish() }
        for await _ in ends {}
        withExtendedLifetime(input) {}
    }
}
