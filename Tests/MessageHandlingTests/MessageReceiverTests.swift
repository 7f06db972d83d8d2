import Bus
import CBOR
import Messaging
import TestKit
import Testing
import ZeroMQ
import MessageHandling

@ResponderMessages
private protocol CountMessages {
    func countUp(by step: Int) async throws -> Int
    func countWait() async throws
    func countWaitAndReturn() async throws -> Int
    func countNote(text: String)
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct MessageReceiverTests {
    private final class Counter: Responder, CountMessages {
        private(set) var count = 0
        private(set) var notes: [String] = []
        private(set) var ends: [String] = []

        var onCount = {}
        var onNote = {}
        var beginsTasks = false
        /// Whether the task of each handler was cancelled when it began.
        private(set) var cancelled: [Bool] = []
        private(set) var sessionsOfTasks: [String?] = []

        private func note() {
            cancelled.append(Task.isCancelled)
            guard beginsTasks else { return }
            Task {
                await Task.yield()
                sessionsOfTasks.append(MessageContext.current?.session)
            }
        }

        func countUp(by step: Int) async throws -> Int {
            note()
            onCount()
            count += step
            return count
        }

        func countWait() async throws {
            note()
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                ends.append("cancelled")
                throw error
            }
        }

        func countWaitAndReturn() async throws -> Int {
            try? await Task.sleep(for: .seconds(3600))
            ends.append("cancelled")
            return count
        }

        func countNote(text: String) {
            notes.append(text)
            onNote()
        }
    }

    private let receiver = MessageReceiver()
    private let counter = Counter()

    init() { receiver.registry.add(CountMessagesList.self) }

    private func request(
        _ name: String, id: UInt64 = 1, delivery: MessageDelivery = .atMostOnce, _ fields: [String: CBORValue] = [:]
    )
        throws -> Frame
    {
        var frame = Frame(.request)
        frame.id = id
        frame.name = name
        frame.payload = try CBOREncoder().encode(fields)[...]
        frame.delivery = delivery
        return frame
    }

    /// Delivers a request and waits for its reply.
    private func receive(
        _ frame: Frame, by receiver: MessageReceiver? = nil, link: UInt64 = 0, timeLeft: Duration? = nil
    ) async -> Result<Frame, any Error> {
        await withCheckedContinuation { continuation in
            (receiver ?? self.receiver).receive(frame, link: link, at: counter, timeLeft: timeLeft) { end in
                switch end {
                case .reply(let bytes): continuation.resume(returning: Result { try Frame(bytes) })
                case .failure(let error): continuation.resume(returning: .failure(error))
                }
            }
        }
    }

    @Test("A request is handled, and its reply is returned")
    func handled() async throws {
        let result = await receive(try request("countUp", ["by": 2]))
        let reply = try result.get()
        #expect(try CBORDecoder().decode(Int.self, from: reply.payload) == 2)
        #expect(reply.name == "countUp")
        #expect(reply.id == 1)
        #expect(receiver.runningCount == 0)
    }

    @Test("A host's reply names the session of its request, and the revision with what the handler has set")
    func hostReply() async throws {
        var revision: UInt64 = 5
        let host = MessageReceiver { revision }
        host.registry.add(CountMessagesList.self)
        var request = try request("countUp", ["by": 2])
        request.session = "s"
        counter.onCount = { revision = 6 }
        let reply = try await receive(request, by: host).get()
        #expect(reply.revision == 6)
        #expect(reply.session == "s")
        // A peer's reply names neither.
        let peerReply = try await receive(request).get()
        #expect(peerReply.revision == 0)
        #expect(peerReply.session == "")
    }

    @Test("A handler whose request is cancelled sees its task cancelled, and no other handler does")
    func cancelledAmongOthers() async throws {
        receiver.receive(try request("countWait", id: 1), at: counter, timeLeft: nil) { _ in }
        _ = try await receive(try request("countUp", id: 2, ["by": 1])).get()
        receiver.cancel(1)
        try await until("a handler has ended") { !counter.ends.isEmpty }
        _ = try await receive(try request("countUp", id: 3, ["by": 1])).get()
        #expect(counter.cancelled == [false, false, false])
    }

    /// A message of several frames, as a link or a hub reads it.
    private struct Message: MessageReader {
        private var steps: [() -> Void]
        private(set) var times: [MonotonicInstant] = []

        init(_ steps: [() -> Void]) { self.steps = steps.reversed() }

        var isAtEnd: Bool { steps.isEmpty }

        mutating func readNext(at now: MonotonicInstant) -> Bool {
            guard let step = steps.popLast() else { return false }
            times.append(now)
            step()
            return true
        }
    }

    /// Reads a message to its end, however long a busy machine takes.
    private func read(_ message: consuming Message) {
        while !message.read(within: TurnLimits.message) {}
    }

    @Test("A message is read in parts when its handlers take long, in its order")
    func readInParts() throws {
        var events: [String] = []
        counter.onCount = {
            let end = ContinuousClock.now + .milliseconds(12)
            while ContinuousClock.now < end {}
        }
        let counts = try (1...4).map { try request("countUp", id: $0, ["by": 1]) }
        var message = Message(
            counts.map { count in
                { self.receiver.receive(count, at: self.counter, timeLeft: nil) { _ in events.append("\(count.id)") } }
            })
        var parts: [[String]] = []
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = message.read(within: TurnLimits.message)
            parts.append(events)
            events = []
        }
        #expect(parts == [["1"], ["2"], ["3"], ["4"]])
        // Each frame is read at a time of its own, with which its lease is checked.
        #expect(zip(message.times, message.times.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(12) })
        let isRead = message.read(within: TurnLimits.message)
        #expect(isRead)
    }

    @Test("The requests of a message begin in order, also behind one that suspends, and before the frames that follow")
    func requestsOfAMessage() async throws {
        var events: [String] = []
        counter.onCount = { events.append("count") }
        let wait = try request("countWait", id: 1)
        let counts = try (2...6).map { try request("countUp", id: $0, ["by": 1]) }
        let note = try request("countNote", ["text": "noted"])
        func receive(_ frame: Frame) {
            receiver.receive(frame, at: counter, timeLeft: nil) { _ in events.append("end \(frame.id)") }
        }
        var steps = counts.prefix(2).map { count in { receive(count) } }
        steps.append { receive(wait) }
        steps += counts[2...].map { count in { receive(count) } }
        steps.append {
            events.append("note")
            try? self.receiver.receive(post: note, at: self.counter)
        }
        read(Message(steps))
        #expect(
            events == ["count", "end 2", "count", "end 3"] + [
                "count", "end 4", "count", "end 5", "count", "end 6", "note",
            ])
        #expect(counter.notes == ["noted"])
        #expect(receiver.runningCount == 1)
        #expect(receiver.isHandling(1, of: 0))
        receiver.cancel(1)
        try await until("the first request has ended") { events.last == "end 1" }
        #expect(receiver.runningCount == 0)
    }

    @Test("A handler that cancels its own task does not end the reading of its message")
    func cancelsItselfInAMessage() throws {
        counter.onCount = { withUnsafeCurrentTask { $0?.cancel() } }
        let counts = try (1...3).map { try request("countUp", id: $0, ["by": 1]) }
        read(
            Message(counts.map { count in { self.receiver.receive(count, at: self.counter, timeLeft: nil) { _ in } } }))
        #expect(counter.count == 3)
        #expect(counter.cancelled == [false, false, false])
    }

    @Test("Requests that one frame causes begin in order, before the frames that follow")
    func requestsOfAFrame() throws {
        var events: [String] = []
        let counts = try (1...4).map { try request("countUp", id: $0, ["by": 1]) }
        let receiveAll = {
            for count in counts {
                self.receiver.receive(count, at: self.counter, timeLeft: nil) { _ in events.append("end \(count.id)") }
            }
        }
        read(Message([receiveAll, { events.append("next") }]))
        #expect(events == ["end 1", "end 2", "end 3", "end 4", "next"])
    }

    @Test("A handler that cancels its own task does not cancel the next request")
    func cancelsItself() async throws {
        counter.onCount = { withUnsafeCurrentTask { $0?.cancel() } }
        _ = try await receive(try request("countUp", id: 1, ["by": 1])).get()
        _ = try await receive(try request("countUp", id: 2, ["by": 1])).get()
        #expect(counter.cancelled == [false, false])
    }

    @Test("Nothing of a request is kept when it has ended")
    func nothingKept() async throws {
        weak var responder: Counter?
        weak var used: MessageReceiver?
        do {
            let (counter, receiver) = (Counter(), MessageReceiver())
            (responder, used) = (counter, receiver)
            receiver.registry.add(CountMessagesList.self)
            var isReplied = false
            receiver.receive(try request("countUp", ["by": 1]), at: counter, timeLeft: nil) { _ in isReplied = true }
            #expect(isReplied)
        }
        #expect(responder == nil)
        #expect(used == nil)
    }

    @Test("Tasks that a handler begins keep its context, whatever its own task handles later")
    func contextOfChildTasks() async throws {
        counter.beginsTasks = true
        for id in 1...3 as ClosedRange<UInt64> {
            var request = try request("countUp", id: id, ["by": 1])
            request.session = "s\(id)"
            _ = try await receive(request).get()
        }
        try await until("all tasks have run") { counter.sessionsOfTasks.count == 3 }
        // They end in any order.
        #expect(Set(counter.sessionsOfTasks) == ["s1", "s2", "s3"])
        #expect(MessageContext.current == nil)
    }

    @Test("A task that begins between two requests of a message gets the context of neither")
    func contextBetweenRequests() async throws {
        var requests: [Frame] = []
        for id in 1...3 as ClosedRange<UInt64> {
            var request = try request("countUp", id: id, ["by": 1])
            request.session = "s\(id)"
            requests.append(request)
        }
        var sessions: [String?] = []
        let between = {
            Task {
                await Task.yield()
                sessions.append(MessageContext.current?.session)
            }
            return
        }
        var steps = requests.map { request in
            { self.receiver.receive(request, at: self.counter, timeLeft: nil) { _ in } }
        }
        steps.insert(between, at: 1)
        steps.append(between)
        read(Message(steps))
        try await until("both handlers have run") { sessions.count == 2 }
        #expect(sessions == [nil, nil])
    }

    @Test("A request past its deadline is not handled", arguments: [Duration.zero, .seconds(-1)])
    func late(timeLeft: Duration) async throws {
        let result = await receive(try request("countUp", ["by": 2]), timeLeft: timeLeft)
        let error = #expect(throws: MessageError.self) { try result.get() }
        #expect(error?.code == .timeout)
        #expect(error?.mayHaveBeenHandled == false)
        #expect(counter.count == 0)
    }

    @Test(
        "A handler is cancelled at its deadline, and the error says that the request may have been handled",
        arguments: ["countWait", "countWaitAndReturn"])
    func expired(name: String) async throws {
        let result = await receive(try request(name), timeLeft: .milliseconds(20))
        let error = #expect(throws: MessageError.self) { try result.get() }
        #expect(error?.code == .timeout)
        #expect(error?.mayHaveBeenHandled == true)
        #expect(counter.ends == ["cancelled"])
    }

    @Test("Unknown and undecodable messages are refused")
    func refused() async throws {
        let unknown = await receive(try request("nobodyKnows"))
        #expect(#expect(throws: MessageError.self) { try unknown.get() }?.code == .unhandled)
        let wrong = await receive(try request("countUp", ["by": "two"]))
        #expect(#expect(throws: MessageError.self) { try wrong.get() }?.code == .malformed)
        #expect(counter.count == 0)
    }

    @Test("A request whose message is a post is refused with the advice to send it as a post")
    func requestOfAPost() async throws {
        let result = await receive(try request("countNote", ["text": "hello"]))
        let error = try #require(#expect(throws: MessageError.self) { try result.get() })
        #expect(error.code == .unhandled)
        #expect(error.description.contains("it is a post, which has no reply"), "\(error)")
        #expect(counter.notes.isEmpty)
    }

    @Test("A cancel ends only the request with its id and link")
    func cancelled() async throws {
        var ended: [String] = []
        for (name, link) in [("of link 1", 1), ("of link 2", 2)] as [(String, UInt64)] {
            receiver.receive(try request("countWait", id: 7), link: link, at: counter, timeLeft: nil) { _ in
                ended.append(name)
            }
        }
        #expect(receiver.isHandling(7, of: 1))
        receiver.cancel(8, link: 1)
        receiver.cancel(7, link: 1)
        try await until("a request has ended") { !ended.isEmpty }
        #expect(ended == ["of link 1"])
        #expect(!receiver.isHandling(7, of: 1))
        #expect(receiver.isHandling(7, of: 2))
        receiver.cancelAll(link: 2)
        try await until("both requests have ended") { ended.count == 2 }
        #expect(receiver.runningCount == 0)
    }

    @Test("When a link is lost, once requests continue and others are cancelled")
    func lostLink() async throws {
        var ended: [String] = []
        receiver.receive(try request("countWait", id: 1), link: 1, at: counter, timeLeft: nil) { _ in
            ended.append("plain")
        }
        receiver.receive(try request("countWait", id: 2, delivery: .once), link: 1, at: counter, timeLeft: nil) { _ in
            ended.append("once")
        }
        receiver.cancelAll(link: 1)
        try await until("a request has ended") { !ended.isEmpty }
        #expect(ended == ["plain"])
        #expect(receiver.isHandling(2, of: 1))
        receiver.cancelAll()
        try await until("both requests have ended") { ended.count == 2 }
    }

    @Test("A post is handled, and an unknown one is refused")
    func post() throws {
        var frame = Frame(.post)
        frame.name = "countNote"
        frame.payload = try CBOREncoder().encode(["text": "hello"])[...]
        try receiver.receive(post: frame, at: counter)
        #expect(counter.notes == ["hello"])
        frame.name = "nobodyKnows"
        #expect(throws: MessageError.self) { try receiver.receive(post: frame, at: counter) }
    }

    @Test("A later request with an earlier deadline expires first")
    func earlierDeadline() async throws {
        receiver.receive(try request("countWait", id: 1), at: counter, timeLeft: .seconds(3600)) { _ in }
        let result = await receive(try request("countWait", id: 2), timeLeft: .milliseconds(50))
        #expect(#expect(throws: MessageError.self) { try result.get() }?.code == .timeout)
        #expect(receiver.isHandling(1, of: 0))
        receiver.cancelAll()
        try await until("no handler runs") { receiver.runningCount == 0 }
    }
}

extension ResponderChain: CountMessages {}
