import ChaosHistory
import OperatorKit
import SceneContent

/// Watches a scene through all faults, and records what it is shown.
@MainActor
struct SceneWatch {
    let client: ChaosClient
    let session: String

    /// The time before another attempt after an error, which is recorded.
    private static let pause = Duration.milliseconds(500)

    /// Watches until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            client.log.write(.watching(session: session))
            do {
                for try await scene in SceneChanges(of: session, over: client.chain) {
                    if let layer = scene.layers.top?.key { client.layer = layer }
                    if let picture = ShownPicture(scene) {
                        client.log.write(.shown(session: session, picture: picture))
                    }
                }
            } catch {
                guard !Task.isCancelled else { return }
                client.log.write(.unwatched(session: session, reason: "\(error)"))
            }
            try? await Task.sleep(for: Self.pause)
        }
    }
}

extension ShownPicture {
    /// Reads what ``ChaosScreen`` shows; `nil` before the first picture.
    init?(_ scene: WatchedScene) {
        var texts: [String] = []
        var typed: [String: Int] = [:]
        for (_, block) in scene.layers.top?.blocks ?? [] {
            switch block {
            case .text(let block): texts.append(block.text)
            case .field(let block): typed[block.name] = Int(block.value)
            default: break
            }
        }
        guard texts.count >= 2, let count = Int(texts[0]) else { return nil }
        var values: [String: Counter] = [:]
        for text in texts[2...] {
            // The entry, and its value as ``Counter/description`` has it.
            let words = text.split(separator: " ")
            guard words.count == 5, let value = Int(words[1]), let life = UInt64(words[4]) else { continue }
            values[String(words[0])] = Counter(life: life, value: value)
        }
        self.init(scene: texts[1], count: count, values: values, typed: typed, isLive: scene.isLive)
    }
}
