/// What is known about one class of responders: which messages it handles, and with which handlers.
///
/// A lookup along the chain reads one byte of a table per responder. A conformance check by the runtime takes about 400
/// ns; with 64 responders this would be most of a round trip. The check is therefore made only once for each class and
/// message.
///
/// It cannot be copied, so that a lookup through its address reads only what it needs.
@MainActor
struct ResponderClass: ~Copyable {
    /// Whether the class handles a message.
    enum Answer: UInt8 {
        case unknown, passes, handles
    }

    /// The class's name, without its module.
    let name: String
    /// Whether it is a class of ``ForwardingResponder``, which forwards every message that reaches it. A responder of such
    /// a class can be cast without a check.
    let isForwarder: Bool
    /// Whether it is a class of ``SessionResponder``. A message that passes such a responder is sent in the session's
    /// name. A responder of such a class can be cast without a check.
    let runsSession: Bool
    /// Whether the class's responders store their next one in their node.
    private(set) var storesNext = false
    private var hasFoundStorage = false
    /// Whether the class is one of this package that passes on every message.
    private(set) var isPassing = false
    private let type: Responder.Type
    private var answers: [Answer] = []
    /// The handlers of the messages that the class handles, by the messages' indices.
    private var handlers: [(message: ObjectIdentifier, handler: AnyObject)?] = []

    /// The entries by the addresses of their classes. The first use of each type of key searches all conformances of the
    /// process, so these keys are `Int`, as the reactor's are.
    private static var known: [Int: UnsafeMutablePointer<ResponderClass>] = [:]

    /// Returns the entry of a class. It is never freed, so that responders can refer to it without reference counting.
    static func of(_ type: Responder.Type) -> UnsafeMutablePointer<ResponderClass> {
        let key = Int(bitPattern: ObjectIdentifier(type))
        if let found = known[key] { return found }
        let made = UnsafeMutablePointer<ResponderClass>.allocate(capacity: 1)
        made.initialize(to: ResponderClass(type))
        known[key] = made
        return made
    }

    private init(_ type: Responder.Type) {
        self.type = type
        // The same as `String(describing: type)`, which first looks for a description of its own: an eighth of the time
        // in which a worker starts.
        name = _typeName(type, qualified: false)
        isForwarder = type is ForwardingResponder.Type
        runsSession = type is SessionResponder.Type
    }

    /// Finds out whether the class's responders store their next one, the first time.
    /// - Parameter storing: The class that stores the next responder: this class or one above it. It is the same in every
    ///   call.
    mutating func findStorage(of storing: Responder.Type) {
        guard !hasFoundStorage else { return }
        hasFoundStorage = true
        storesNext = !isForwarder && !runsSession && OverrideLookup.isSame(type, as: storing)
    }

    /// Notes that the class passes on every message, if it is the one that declares this and not a subclass of it.
    mutating func declarePassing(by passing: Responder.Type) {
        if passing == type { isPassing = true }
    }

    @inline(__always)
    func answer(at index: Int) -> Answer {
        index < answers.count ? answers[index] : .unknown
    }

    /// Whether the class's responders pass a message to the next one, which they store.
    @inline(__always)
    func passesToStoredNext(_ index: Int) -> Bool {
        storesNext && answer(at: index) == .passes
    }

    /// Looks up a class's handler for a message and stores it in the class's entry.
    // Not a method of the entry: a message that is written without the macro may send messages while it is asked for its
    // handler, and so read or change the same entry.
    static func learn<M: ResponderMessage>(
        _ message: M.Type, at index: Int, for known: UnsafeMutablePointer<ResponderClass>
    ) -> Answer {
        let type = known.pointee.type
        if known.pointee.isPassing {
            assert(
                M.handler(for: type) == nil,
                """
                '\(known.pointee.name)' is extended to handle '\(M.name)', but a class of the library handles no messages: \
                conform a class of your own to their protocol, such as a subclass, a coordinator or the application's \
                delegate
                """)
        } else if let handler = M.handler(for: type) {
            known.pointee.store(handler, of: message, at: index)
            return .handles
        }
        known.pointee.storePassing(at: index)
        return .passes
    }

    /// Stores the class's handler for a message.
    mutating func store<M: ResponderMessage>(_ handler: M.Handler, of message: M.Type, at index: Int) {
        makeRoom(for: index)
        handlers[index] = (ObjectIdentifier(message), handler)
        answers[index] = .handles
    }

    private mutating func storePassing(at index: Int) {
        makeRoom(for: index)
        answers[index] = .passes
    }

    private mutating func makeRoom(for index: Int) {
        guard index >= answers.count else { return }
        let added = index + 1 - answers.count
        answers.append(contentsOf: repeatElement(.unknown, count: added))
        handlers.append(contentsOf: repeatElement(nil, count: added))
    }

    /// The stored handler of a message; `nil` if there is none.
    @inline(__always)
    func handler<M: ResponderMessage>(_ message: M.Type, at index: Int) -> M.Handler? {
        guard index < handlers.count, let (stored, handler) = handlers[index] else { return nil }
        // Only a type that does not get its index from the macro can have that of another one.
        precondition(stored == ObjectIdentifier(message), "two messages have the same index")
        return unsafeDowncast(handler, to: M.Handler.self)
    }
}
