/// What is known of one class of responders: which messages it handles, and how.
///
/// The walk along the chain asks a byte of a table instead of the runtime: a conformance check costs some 400 ns, and a
/// chain of 64 responders would spend most of a round trip on it. A class is asked once for each message.
@MainActor
package final class ResponderClass {
    /// The answer for one message.
    enum Answer: UInt8 {
        case unknown, passes, handles
    }

    /// The class's name, without its module.
    package let name: String
    /// Takes every message that reaches it: the link to the host.
    let isForwarder: Bool
    let isScene: Bool
    private let type: Responder.Type
    // No access overlaps another: the accesses are on the main actor and call nothing.
    @exclusivity(unchecked) private var answers: [Answer] = []
    private var handlers: [Int: AnyObject] = [:]

    private static var known: [ObjectIdentifier: ResponderClass] = [:]

    static func of(_ type: Responder.Type) -> ResponderClass {
        let key = ObjectIdentifier(type)
        if let found = known[key] { return found }
        let made = ResponderClass(type)
        known[key] = made
        return made
    }

    private init(_ type: Responder.Type) {
        self.type = type
        name = String(describing: type)
        isForwarder = type is ForwardingResponder.Type
        isScene = type is Scene.Type
    }

    @inline(__always)
    func answer(at index: Int) -> Answer {
        index < answers.count ? answers[index] : .unknown
    }

    /// Asks the class for its handler, once; afterwards the table knows.
    func learn<M: ResponderMessage>(_ message: M.Type) -> Answer {
        let index = M.index
        if index >= answers.count {
            answers.append(contentsOf: repeatElement(.unknown, count: index + 1 - answers.count))
        }
        if let handler = M.handler(for: type) {
            handlers[index] = handler
            answers[index] = .handles
        } else {
            answers[index] = .passes
        }
        return answers[index]
    }

    /// The handler that `learn` found.
    func handler<M: ResponderMessage>(_ message: M.Type) -> M.Handler? {
        handlers[M.index].map { unsafeDowncast($0, to: M.Handler.self) }
    }
}
