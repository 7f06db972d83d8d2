import Bus

/// Chooses the scene that opens a link which was sent to no session, from the scenes' answers.
struct LinkChoice {
    /// The maximum number of scenes that are asked at a time, and of the bytes that they are sent then.
    private static let maximumAsked = 64
    private static let maximumBytes = 16 << 20

    /// Returns how many scenes are asked at a time. Each of them is sent a copy of the link.
    static func scenesAtATime(linkSize: Int) -> Int {
        max(1, min(maximumAsked, maximumBytes / max(1, linkSize)))
    }

    /// The sessions whose scenes prefer the link and have not been tried yet.
    private var preferring: [String] = []
    /// The sessions whose scenes accept the link without preferring it, in the order in which they were opened.
    private(set) var accepting: [String] = []
    /// The first scene's reason not to open it.
    private var declined: (session: String, reason: String)?
    private var declinedCount = 0

    mutating func add(_ acceptance: SceneAcceptance, of session: String) {
        switch acceptance.answer {
        case SceneAcceptance.preferred: preferring.append(session)
        case SceneAcceptance.declined: refused(acceptance.reason ?? "it gives no reason", by: session)
        default: accepting.append(session)
        }
    }

    /// Returns the sessions whose scenes prefer the link, each once.
    mutating func takePreferred() -> [String] {
        defer { preferring = [] }
        return preferring
    }

    /// Adds a scene that does not open the link.
    mutating func refused(_ reason: String, by session: String) {
        declinedCount += 1
        if declined == nil { declined = (session, reason) }
    }

    /// Why no scene has opened the link, and what opens it.
    var refusal: String {
        guard let declined else {
            return "no scene is connected; open a session for it ('scenebus sessions open --url')"
        }
        let verb = declinedCount == 2 ? "does" : "do"
        let others = declinedCount == 1 ? "" : "; \(declinedCount - 1) more \(verb) not accept it either"
        return
            "no scene accepts it: session '\(declined.session)': \(declined.reason)\(others); name a session, or open "
            + "a new one for it ('scenebus sessions open --url')"
    }
}
