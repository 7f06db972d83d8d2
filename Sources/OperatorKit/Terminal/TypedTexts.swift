/// What a person has typed in the fields of a scene, and how far each text has come.
struct TypedTexts: Sendable {
    /// A text, with what the scene says in its place.
    private struct Text {
        enum Way {
            /// It is here alone.
            case typed
            /// It is here alone, and could not go on its way: by the time that it can, the scene may say something newer.
            case heldBack
            /// The scene does not take it as it is.
            case refused
            case onItsWay
            /// The scene has got it, so what the scene says next is newer.
            case passedOn
        }

        var input: TextInput
        let label: String
        /// Whether it is for actions alone.
        let isPrivate: Bool
        /// Whether nobody may see it.
        let isSecret: Bool
        var way: Way
        /// What the scene said when it was typed.
        var base: String
        /// What the scene said last.
        var seen: String
        /// What was sent, and the scene has not said yet.
        var sent: [String] = []
        /// Whether the scene has said something since: this text, or what it makes of it.
        var isAnswered = false

        /// Whether it goes on its way when it can.
        var isWaiting: Bool { !isPrivate && (way == .typed || way == .heldBack) }

        mutating func setOut() {
            way = .onItsWay
            isAnswered = false
            // Each may come late, but only a few can still be on their way.
            sent = (sent + [input.text]).suffix(4)
        }
    }

    /// The most texts that are kept. The ones that were typed first are dropped.
    private static let maximum = 200

    private var texts: [TypedPlace: Text] = [:]
    private var order: [TypedPlace] = []
    /// The texts that have given way to newer ones of the scene before it had them, so that they can be brought back.
    private var replaced: [TypedPlace: String] = [:]

    /// Returns what has been typed at a place; `nil` for nothing. What was typed as a secret stays one.
    func text(at place: TypedPlace, isSecret: Bool) -> TextInput? {
        texts[place].flatMap { $0.isSecret == isSecret ? $0.input : nil }
    }

    /// Returns what goes with an action of what has been typed; `nil` for nothing, since the scene says it itself.
    func submitted(at place: TypedPlace, isSecret: Bool) -> String? {
        guard let text = texts[place], text.isSecret == isSecret else { return nil }
        return text.way == .passedOn && (text.isAnswered || text.input.text == text.seen) ? nil : text.input.text
    }

    /// Returns what has given way to a newer text.
    func replaced(at place: TypedPlace) -> String? { replaced[place] }

    /// The texts that the scene does not have, with the labels of their fields. Private ones are not meant for it yet.
    var unsent: [(label: String, text: String)] {
        order.compactMap { place in
            guard let text = texts[place], text.isWaiting || text.way == .refused, !text.isPrivate,
                text.input.text != text.seen
            else { return nil }
            return (text.label, text.input.text)
        }
    }

    // MARK: - Typing

    /// Takes what has been typed in a field.
    /// - Parameter isLive: whether the scene runs, so that it can be passed on at once.
    mutating func set(_ input: TextInput, in field: TypedField, isLive: Bool) {
        let place = field.place
        guard var text = texts[place], text.isSecret == field.isSecret else {
            remove(place)
            order.append(place)
            let isScenes = input.text == field.value
            texts[place] = Text(
                input: input, label: field.label, isPrivate: field.isPrivate, isSecret: field.isSecret,
                way: isScenes ? .passedOn : isLive ? .typed : .heldBack, base: field.value, seen: field.value,
                isAnswered: isScenes)
            if order.count > Self.maximum { remove(order[0]) }
            return
        }
        if input.text != text.input.text, text.way != .heldBack {
            text.base = field.value
            let isScenes = input.text == field.value && text.sent.isEmpty
            text.way = isScenes ? .passedOn : isLive ? .typed : .heldBack
            text.isAnswered = isScenes
        }
        text.input = input
        texts[place] = text
    }

    // MARK: - Passing on

    /// Whether a text waits to be passed on.
    func isWaiting(at place: TypedPlace) -> Bool { texts[place]?.isWaiting == true }

    /// Returns the text that waits at a place, which is on its way then.
    mutating func take(_ place: TypedPlace) -> String? {
        guard let text = texts[place], text.isWaiting else { return nil }
        // What was sent last is what the scene is about to say. One that was held back may not have arrived.
        if text.input.text == (text.way == .heldBack ? text.seen : text.sent.last ?? text.seen) {
            texts[place]?.way = .passedOn
            texts[place]?.isAnswered = text.input.text == text.seen
            return nil
        }
        texts[place]?.setOut()
        return text.input.text
    }

    /// Notes that what has been typed at a place goes along with an action.
    mutating func accompany(_ place: TypedPlace) { texts[place]?.setOut() }

    /// Notes that the scene has got a text.
    mutating func arrived(_ sent: String, at place: TypedPlace) {
        if isOnItsWay(sent, at: place) { texts[place]?.way = .passedOn }
    }

    /// Notes that the scene does not take a text as it is.
    mutating func refused(_ sent: String, at place: TypedPlace) {
        guard isOnItsWay(sent, at: place) else { return }
        texts[place]?.way = .refused
        texts[place]?.sent.removeAll { $0 == sent }
    }

    /// Notes that nobody knows whether the scene has got a text.
    /// - Parameter isAnswered: whether the scene has answered, so that what it says now takes account of the text.
    mutating func failed(_ place: TypedPlace, isAnswered: Bool = false) {
        guard let text = texts[place], text.way == .onItsWay || text.way == .typed else { return }
        texts[place]?.way = .heldBack
        if isAnswered { texts[place]?.base = text.seen }
    }

    private func isOnItsWay(_ sent: String, at place: TypedPlace) -> Bool {
        texts[place].map { $0.way == .onItsWay && $0.input.text == sent } ?? false
    }

    /// Notes that what waits cannot be passed on now.
    /// - Parameter layer: the key of a layer that is spared; `nil` for none.
    mutating func holdBack(butIn layer: String? = nil) {
        for (place, text) in texts where place.layer != layer && !text.isPrivate {
            if text.way == .typed || text.way == .refused { texts[place]?.way = .heldBack }
        }
    }

    // MARK: - Giving way

    /// Takes what the scene says in a field.
    /// - Returns: whether a text has given way that the scene may never have had.
    mutating func see(_ value: String, at place: TypedPlace, hasFocus: Bool) -> Bool {
        guard var text = texts[place], !text.isSecret else { return false }
        let isNew = value != text.seen
        text.seen = value
        defer { if texts[place] != nil { texts[place] = text } }
        if value == text.input.text {
            // What was there before is no answer to the last of several that are on their way.
            guard isNew || text.sent.allSatisfy({ $0 == value }) else { return false }
            text.sent = []
            text.base = value
            (text.way, text.isAnswered) = (.passedOn, true)
            // Its caret is in it.
            if !hasFocus { remove(place) }
            return false
        }
        if let index = text.sent.firstIndex(of: value) {
            // Its own word, and older than what has been typed since.
            text.sent.removeFirst(index + 1)
            text.base = value
            return false
        }
        switch text.way {
        // What the scene makes of a text, such as another form of a number, does not change it under its writer's hands.
        case .passedOn where isNew && (text.isAnswered || !hasFocus), .passedOn where text.isAnswered && !hasFocus:
            remove(place)
            return false
        case .heldBack where value != text.base:
            remove(place)
            if replaced.count == Self.maximum, let other = replaced.keys.first { replaced[other] = nil }
            replaced[place] = text.input.text
            return true
        // Whoever types while the link is whole has the last word.
        case .typed, .onItsWay, .refused, .passedOn, .heldBack:
            text.isAnswered = text.isAnswered || isNew
            return false
        }
    }

    // MARK: - Forgetting

    /// Forgets the secrets of all layers but one. Nobody knows whether the others come back.
    mutating func keepSecrets(of layer: String?) {
        for (place, text) in texts where text.isSecret && place.layer != layer { remove(place) }
    }

    /// Forgets what has been sent, as far as it was not changed since.
    mutating func remove(_ submission: SceneSubmission) {
        let sent = submission.fields.merging(submission.secrets.mapValues(\.revealed)) { $1 }
        for (field, text) in sent {
            let place = TypedPlace(layer: submission.layer, field: field)
            if texts[place]?.input.text == text { remove(place) }
        }
    }

    private mutating func remove(_ place: TypedPlace) {
        guard texts.removeValue(forKey: place) != nil else { return }
        order.removeAll { $0 == place }
    }
}
