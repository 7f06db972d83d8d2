import FoundationEssentials
import SeededRandom

/// Frames that may be hard to decode.
package enum HostileFrames {
    /// Frames that the fuzzer found to be decoded in different ways.
    package static let corpus: [[UInt8]] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "FuzzCorpus/frame").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap {
            FileManager.default.contents(atPath: "\(folder)/\($0)").map { Array($0) }
        }
    }()

    /// Returns the same frames for the same seed, most of them changed in a few places.
    package static func frames(_ count: Int, seed: UInt64) -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { index in
            var bytes = corpus[index % corpus.count]
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.insert(.random(in: 0...255, using: &random), at: place)
                case 3: bytes.remove(at: place)
                default: bytes.removeLast(bytes.count - place)
                }
            }
            return bytes
        }
    }
}
