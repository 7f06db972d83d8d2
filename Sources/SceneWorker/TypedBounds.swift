import Bus
import SceneContent

/// How much a person may type into the fields that a screen keeps.
///
/// It is in the scene's state and shown to all who watch, and a field that is too large to be shown could not be shortened by
/// anybody. What only an action reads may be larger.
enum TypedBounds {
    /// The most bytes of one field.
    static let text = ContentBounds.text
    /// The most bytes of all fields of a screen together: a part of what the whole content may have.
    static let texts = ContentBounds.bytes / 4

    /// Refuses what is more than a screen can show.
    static func check(_ fields: [String: String]) throws(SceneCommandError) {
        var sum = 0
        for (name, value) in fields {
            let count = value.utf8.count
            sum += count
            guard count <= text else {
                throw SceneCommandError(
                    .refused,
                    "'\(name.prefix(64))' has \(count) bytes, and a field takes at most \(text): shorten the text")
            }
        }
        guard sum <= texts else {
            throw SceneCommandError(
                .refused,
                "the fields have \(sum) bytes together, and a screen takes at most \(texts): shorten the texts")
        }
    }
}
