/// What is known of one class of responders: which messages it handles, and how.
///
/// The walk along the chain asks a byte of a table instead of the runtime: a conformance check costs some 400 ns, and a
/// chain of 64 responders would spend most of a round trip on it. A class is asked once for each message.
@MainActor
struct ResponderClass {
    /// The answer for one message.
    enum Answer: UInt8 {
        case unknown, passes, handles
    }

    /// The class's name, without its module.
    let name: String
    /// Takes every message that reaches it: the link to the host.
    let isForwarder: Bool
    /// Runs a session: what climbs through it is sent in the session's name.
    let runsSession: Bool
    private let type: Responder.Type
    private var answers: [Answer] = []
    private var handlers: [Int: AnyObject] = [:]

    private static var known: [ObjectIdentifier: UnsafeMutablePointer<ResponderClass>] = [:]

    /// - Returns: what is known of the class: kept as long as the process runs, so that nobody has to count references to it.
    static func of(_ type: Responder.Type) -> UnsafeMutablePointer<ResponderClass> {
        let key = ObjectIdentifier(type)
        if let found = known[key] { return found }
        let made = UnsafeMutablePointer<ResponderClass>.allocate(capacity: 1)
        made.initialize(to: ResponderClass(type))
        known[key] = made
        return made
    }

    private init(_ type: Responder.Type) {
        self.type = type
        name = String(describing: type)
        isForwarder = type is ForwardingResponder.Type
        runsSession = type is SessionResponder.Type
    }

    @inline(__always)
    func answer(at index: Int) -> Answer {
        index < answers.count ? answers[index] : .unknown
    }

    /// Asks the class for its handler, once; afterwards the table knows.
    mutating func learn<M: ResponderMessage>(_ message: M.Type) -> Answer {
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
        guard let handler = handlers[M.index] else { return nil }
        return unsafeDowncast(handler, to: M.Handler.self)
    }
}
