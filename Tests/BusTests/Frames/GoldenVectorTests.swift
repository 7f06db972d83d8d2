import FoundationEssentials
import Testing

@testable import Bus

/// The bytes of protocol version 1, as the protocol's document shows them. A change of these bytes needs a new protocol
/// version.
@Suite(.timeLimit(.minutes(5)))
struct GoldenVectorTests {
    /// The document's vectors: their names, and their bytes as hexadecimal digits.
    private static let golden: [(name: String, hex: String)] = {
        var path = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { path.deleteLastPathComponent() }
        path.append(path: "Sources/Bus/Bus.docc/Protocol.md")
        let document = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        guard let section = document.split(separator: "\n## Vectors\n").last else { return [] }
        // Each vector is a name with a colon, followed by its digits in a code block.
        let pieces = section.split(separator: "```", omittingEmptySubsequences: false)
        return stride(from: 1, to: pieces.count, by: 2).map { index in
            let name = pieces[index - 1].split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
            return (String(name?.dropLast() ?? ""), pieces[index].filter { !$0.isWhitespace })
        }
    }()

    @Test func `Each kind of frame has exactly the bytes that the document shows`() throws {
        let frames = try Vectors.all()
        #expect(frames.map(\.name) == Self.golden.map { $0.name.prefix(1).lowercased() + $0.name.dropFirst() })
        for (frame, golden) in zip(frames, Self.golden) {
            let hex = Vectors.hex(frame.bytes)
            #expect(hex == golden.hex, "\(frame.name) has other bytes than the document shows: \(hex)")
        }
    }

    /// Prints the vectors in the document's form, for an intended change of the protocol.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SCENEBUS_PRINT_VECTORS"] != nil))
    func `The vectors are printed for the document`() throws {
        for (name, bytes) in try Vectors.all() {
            let hex = Array(Vectors.hex(bytes))
            let lines = stride(from: 0, to: hex.count, by: 96).map { String(hex[$0..<min($0 + 96, hex.count)]) }
            print("\(name.prefix(1).uppercased() + name.dropFirst()):\n\n```\n\(lines.joined(separator: "\n"))\n```\n")
        }
    }

    @Test func `The document's bytes decode to frames that encode to the same bytes`() throws {
        var texts = FrameTexts()
        texts.names.add(Vectors.names)
        for golden in Self.golden {
            let bytes = Vectors.bytes(golden.hex)
            let frame = try Frame(bytes[...], &texts, names: Vectors.names.count)
            #expect(frame.encoded(names: Vectors.names.count) == bytes, "\(golden.name)")
            if golden.name.hasSuffix("index of its name") { #expect(frame.name == "counterAdd") }
        }
    }

    @Test func `The document's frames are received one by one from one message`() {
        let frames = Self.golden.prefix(OutgoingFrames.maximumFrames).map { Vectors.bytes($0.hex) }
        var received = ReceivedFrames(Array(frames.joined()))
        for frame in frames { #expect(received.next() == frame[...]) }
        #expect(received.next() == nil)
    }

    @Test func `Every frame kind has a vector`() throws {
        let kinds = Set(Self.golden.map { Vectors.bytes($0.hex)[2] })
        #expect(kinds == Set(FrameKind.allCases.map(\.rawValue)))
    }
}
