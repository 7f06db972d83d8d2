import FoundationEssentials
import FuzzTargets
import Testing

extension FuzzTarget: CustomTestStringConvertible {
    public var testDescription: String { name }
}

/// Inputs that the fuzzer found to cover every path of the decoders, and inputs that once caused failures.
@Suite(.timeLimit(.minutes(5)))
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "FuzzCorpus").path

    private static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(target)").sorted().map { name in
            let path = "\(folder)/\(target)/\(name)"
            return (name, Array(try #require(FileManager.default.contents(atPath: path), "\(path)")))
        }
    }

    @Test("Every stored input satisfies its target", arguments: FuzzTarget.all)
    func replay(_ target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target.name)
        #expect(inputs.count >= 10)
        for (name, bytes) in inputs {
            #expect(throws: Never.self, "\(target.name)/\(name)") { try target.check(bytes) }
        }
    }

    @Test("Every folder of inputs has its target, and all of them are small")
    func size() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
        let sizes = try folders.flatMap { try Self.inputs(of: $0).map(\.bytes.count) }
        #expect(sizes.count < 1000)
        #expect(sizes.reduce(0, +) < 300_000)
    }
}
