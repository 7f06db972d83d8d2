import Glibc
import ZeroMQ

/// Runs the main loop, which a test cannot do because its process has another main executor, and exits with 0 when the
/// loop has woken up for jobs from other threads, has seen an event while jobs kept it busy, and has handled messages
/// and continued a task that waited for one in the right order.
@main
struct MainLoopProbe {
    static func main() {
        // Ends a loop that nothing wakes.
        alarm(60)
        MainLoop.run {
            for _ in 0..<20 {
                // The loop has nothing to do and waits until another thread continues this function.
                try? await Task.sleep(for: .milliseconds(5))
                await Task.detached {}.value
            }
            await seeEventWhileBusy()
            // A busy machine must not end the reading before the last message.
            TurnLimits.stretch(by: 100)
            do {
                let pair = try await receiveThreeMessages(.pair, from: .pair)
                let late = try await receiveThreeMessages(.pair, from: .pair, hasDueTimer: true)
                let router = try await receiveThreeMessages(.router, from: .dealer)
                #if LoopExecutor && compiler(<6.4)
                    expect(pair, ["message 1", "task 1", "output", "message 2", "message 3", "task 2"])
                    expect(late, ["message 1", "message 2", "message 3", "timer", "task 1", "task 2", "output"])
                    expect(router, ["message 1", "message 2", "message 3", "task 1", "task 2", "output"])
                #else
                    // Tasks continue on other threads first, at any time.
                    for events in [pair, late, router] {
                        expect(events.filter { $0.hasPrefix("message") }, ["message 1", "message 2", "message 3"])
                        expect(events.filter { $0.hasPrefix("task") }.sorted(), ["task 1", "task 2"])
                    }
                #endif
            } catch {
                fatalError("\(error)")
            }
            return 0
        }
    }

    /// Keeps the loop busy until it has seen an event.
    @MainActor private static func seeEventWhileBusy() async {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(1) }
        var isSeen = false
        let source = DescriptorSource(ends[0]) { isSeen = true }
        // The loop looks at a new source by itself. Later it learns only from the kernel that there is an event.
        for _ in 0..<10 { await Task.yield() }
        write(ends[1], "x", 1)
        while !isSeen { await Task.yield() }
        source.cancel()
    }

    /// Receives three messages that have all arrived. This function waits for the first one, and then adds an output;
    /// another task waits for the second one.
    @MainActor private static func receiveThreeMessages(
        _ kind: Socket.Kind, from senderKind: Socket.Kind, hasDueTimer: Bool = false
    ) async throws -> [String] {
        let events = Events()
        var waiting: [CheckedContinuation<Void, Never>?] = [nil, nil]
        let context = SocketContext()
        let receiver = try Socket(kind, in: context)
        try receiver.bind("inproc://messages")
        let sender = try Socket(senderKind, in: context)
        try sender.connect("inproc://messages")
        let timer = LoopTimer { events.list.append("timer") }
        let port = SocketPort(receiver) { message in
            events.list.append("message \(message.bytes[0])")
            if hasDueTimer, message.bytes == [1] { timer.set(for: .now) }
            guard message.bytes[0] < 3 else { return }
            resumingOnMainLoop { waiting[Int(message.bytes[0]) - 1]?.resume() }
        }
        defer { port.close() }
        Task { @MainActor in
            await withCheckedContinuation { waiting[1] = $0 }
            events.list.append("task 2")
        }
        while waiting[1] == nil { await Task.yield() }
        for number in 1...3 as ClosedRange<UInt8> { try sender.send([number]) }
        await withCheckedContinuation { waiting[0] = $0 }
        events.list.append("task 1")
        Reactor.shared.addOutput(events)
        while events.list.count < (hasDueTimer ? 7 : 6) { await Task.yield() }
        return events.list
    }

    private static func expect(_ events: [String], _ expected: [String]) {
        guard events == expected else { fatalError("the order was \(events) instead of \(expected)") }
    }

    @MainActor private final class Events: TurnOutput {
        var list: [String] = []
        func flush() { list.append("output") }
    }
}
