/// What the chain has learned about one class of responders: which messages it handles, and with which handlers.
///
/// To find out whether a class conforms to a protocol takes the runtime about 400 ns, and much longer the first time. With 64
/// responders this would be most of a round trip, so it is asked only once for each class and message.
@MainActor
final class ResponderClass {
    private enum Answer {
        case unknown, passes
        case handles(AnyObject, of: ObjectIdentifier)
    }

    /// The class's name, without its module.
    let name: String
    /// Whether the class is one of this package that passes on every message.
    private(set) var isPassing = false
    private let type: Responder.Type
    /// The answers by the messages' indices.
    private var answers: [Answer] = []

    private static var known: [ObjectIdentifier: ResponderClass] = [:]

    /// Returns the entry of a class.
    static func of(_ type: Responder.Type) -> ResponderClass {
        if let found = known[ObjectIdentifier(type)] { return found }
        let made = ResponderClass(type)
        known[ObjectIdentifier(type)] = made
        return made
    }

    private init(_ type: Responder.Type) {
        self.type = type
        // `String(describing:)` searches for three conformances first, which takes 3 % of a worker's start.
        name = _typeName(type, qualified: false)
    }

    /// Notes that the class passes on every message, if it is the one that declares this and not a subclass of it.
    func declarePassing(by passing: Responder.Type) {
        if passing == type { isPassing = true }
    }

    /// The class's handler of a message, a `Handler` of the message's type; `nil` if it passes the message on.
    func handler<M: ResponderMessage>(of message: M.Type) -> AnyObject? {
        let index = M.index
        let answers = answers
        switch index < answers.count ? answers[index] : .unknown {
        case .passes: return nil
        case .handles(let handler, let type):
            // Only a type that does not get its index from the macro can have that of another one.
            precondition(type == ObjectIdentifier(message), "two messages have the same index")
            return handler
        case .unknown: return learn(message, at: index)
        }
    }

    private func learn<M: ResponderMessage>(_ message: M.Type, at index: Int) -> AnyObject? {
        // A message that is written without the macro may send messages while it is asked for its handler.
        let handler = isPassing ? nil : M.handler(for: type)
        assert(
            !isPassing || M.handler(for: type) == nil,
            """
            '\(name)' is extended to handle '\(M.name)', but a class of the library handles no messages: conform a class \
            of your own to their protocol, such as a subclass, a coordinator or the application's delegate
            """)
        if index >= answers.count {
            answers.append(contentsOf: repeatElement(.unknown, count: index + 1 - answers.count))
        }
        answers[index] = handler.map { .handles($0, of: ObjectIdentifier(message)) } ?? .passes
        return handler
    }
}
