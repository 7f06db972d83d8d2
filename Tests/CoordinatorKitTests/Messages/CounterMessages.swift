import CoordinatorKit

@ResponderMessages protocol CounterMessages {
    func counterAdd(_ amount: Int, note: String) async throws -> Int
    func counterReset(to value: Int) async throws
    func counterShow(page: String)
}

extension ResponderChain: CounterMessages {}
extension ServiceReference: CounterMessages where Messages == any CounterMessages {}

struct CounterOverflow: Error, Equatable {
    let amount: Int
}

/// What the handlers of counter messages do, and what they record.
@MainActor
final class CounterLog {
    private(set) var lines: [String] = []
    /// The context of each message, and the description of that context while the message was handled.
    private(set) var contexts: [MessageContext?] = []
    private(set) var senders: [String?] = []
    private(set) var sessions: [String?] = []
    private(set) var paths: [[String]] = []

    func add(_ amount: Int, _ note: String) throws -> Int {
        write("add \(amount) \(note)")
        guard amount < 1000 else { throw CounterOverflow(amount: amount) }
        return amount + 1
    }

    func write(_ line: String) {
        lines.append(line)
        let context = MessageContext.current
        contexts.append(context)
        senders.append(context?.sender)
        sessions.append(context?.session)
        paths.append(context?.path ?? [])
    }
}

final class CounterView: View, CounterMessages {
    let log = CounterLog()
    func counterAdd(_ amount: Int, note: String) async throws -> Int { try log.add(amount, note) }
    func counterReset(to value: Int) async throws { log.write("reset \(value)") }
    func counterShow(page: String) { log.write("show \(page)") }
}

final class CounterViewController: ViewController, CounterMessages {
    let log = CounterLog()
    func counterAdd(_ amount: Int, note: String) async throws -> Int { try log.add(amount, note) }
    func counterReset(to value: Int) async throws { log.write("reset \(value)") }
    func counterShow(page: String) { log.write("show \(page)") }
}

final class CounterCoordinator: Coordinator<ViewController>, CounterMessages {
    let log = CounterLog()
    init() { super.init(rootViewController: ViewController()) }
    func counterAdd(_ amount: Int, note: String) async throws -> Int { try log.add(amount, note) }
    func counterReset(to value: Int) async throws { log.write("reset \(value)") }
    func counterShow(page: String) { log.write("show \(page)") }
}

/// Handles `counterReset` and leaves the rest to others.
final class ResettingCoordinator: Coordinator<ViewController>, CounterMessages {
    let log = CounterLog()
    init() { super.init(rootViewController: ViewController()) }
    func counterReset(to value: Int) async throws { log.write("reset \(value)") }
}

/// Adds its own part to what it passes on, and sends another request under its own name.
final class PassingCoordinator: Coordinator<ViewController>, CounterMessages {
    init() { super.init(rootViewController: ViewController()) }
    func counterAdd(_ amount: Int, note: String) async throws -> Int {
        try await coordinatingResponder.chain.counterReset(to: 0)
        return try await coordinatingResponder.chain.counterAdd(amount * 10, note: note + "!")
    }
    func counterReset(to value: Int) async throws { try await coordinatingResponder.chain.counterReset(to: value) }
    func counterShow(page: String) { coordinatingResponder.chain.counterShow(page: page + "!") }
}

/// A coordinator that handles nothing.
final class SilentCoordinator: Coordinator<ViewController> {
    init() { super.init(rootViewController: ViewController()) }
}
