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
            do {
                let pair = try await receiveThreeMessages(.pair, from: .pair)
                expect(pair, ["message 1", "task", "output", "message 2", "message 3"])
                let router = try await receiveThreeMessages(.router, from: .dealer)
                expect(router, ["message 1", "message 2", "message 3", "task", "output"])
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

    /// Receives three messages that are all there. A task waits for the first one and then sends something.
    @MainActor private static func receiveThreeMessages(
        _ kind: Socket.Kind, from senderKind: Socket.Kind
    ) async throws -> [String] {
        let events = Events()
        var task: CheckedContinuation<Void, Never>?
        let context = SocketContext()
        let receiver = try Socket(kind, in: context)
        try receiver.bind("inproc://messages")
        let sender = try Socket(senderKind, in: context)
        try sender.connect("inproc://messages")
        let port = SocketPort(receiver) { message in
            events.list.append("message \(message.bytes[0])")
            guard let waiting = task else { return }
            task = nil
            resumingOnMainLoop { waiting.resume() }
        }
        defer { port.close() }
        for number in 1...3 as ClosedRange<UInt8> { try sender.send([number]) }
        await withCheckedContinuation { task = $0 }
        events.list.append("task")
        Reactor.shared.addOutput(events)
        while events.list.count < 5 { await Task.yield() }
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
