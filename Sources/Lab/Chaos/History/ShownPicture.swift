/// What a watcher of a session is shown of its scene.
package struct ShownPicture: Codable, Hashable, Sendable {
    /// Identifies the scene. The session's next scene has another identity. It ends with a hyphen and the time at which the
    /// scene was made.
    package var scene: String
    /// How many inputs the scene has counted.
    package var count: Int
    /// The values of the entries that the scene shows.
    package var values: [String: Counter]
    /// The numbers in its fields.
    package var typed: [String: Int]
    /// Whether the watcher is told that the scene runs.
    package var isLive: Bool

    package init(
        scene: String, count: Int, values: [String: Counter], typed: [String: Int] = [:], isLive: Bool
    ) {
        self.scene = scene
        self.count = count
        self.values = values
        self.typed = typed
        self.isLive = isLive
    }

    /// When the scene was made, in nanoseconds.
    var sceneStart: UInt64? { scene.split(separator: "-").last.flatMap { UInt64($0) } }

    /// What is older here than in an earlier picture of the same scene; `nil` if nothing is.
    func whatIsOlder(than earlier: ShownPicture) -> String? {
        if count < earlier.count { return "\(count) inputs after \(earlier.count)" }
        for (entry, value) in earlier.values.sorted(by: { $0.key < $1.key }) {
            if let new = values[entry], new < value { return "'\(entry)' as \(new) after \(value)" }
        }
        for (field, number) in earlier.typed.sorted(by: { $0.key < $1.key }) where (typed[field] ?? 0) < number {
            return "\(typed[field] ?? 0) in the field '\(field)' after \(number)"
        }
        return nil
    }
}
