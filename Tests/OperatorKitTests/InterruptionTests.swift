import Glibc
import OperatorKit
import TestKit
import Testing

/// Each test sends the signal to a process of its own, because it would reach every test of this one.
@Suite(.timeLimit(.minutes(5)))
struct InterruptionTests {
    @Test("Ctrl-C ends a continuous command in order")
    func interrupted() async {
        await #expect(processExitsWith: .success) { try await interruptCommand(with: SIGINT) }
    }

    @Test("SIGTERM ends a continuous command in order, as Ctrl-C does")
    func terminated() async {
        await #expect(processExitsWith: .success) { try await interruptCommand(with: SIGTERM) }
    }

    @Test("Ctrl-C ends a continuous command in order as soon as that does anything")
    func interruptedAtOnce() async {
        await #expect(processExitsWith: .success) {
            let isInterrupted = try await untilInterrupted {
                kill(getpid(), SIGINT)
                try await Task.sleep(for: .seconds(3600))
            }
            guard isInterrupted else { throw NotReached(description: "the body was not interrupted") }
        }
    }
}

/// Runs a body that goes on until it is cancelled, and interrupts it by sending this process a signal.
private func interruptCommand(with signal: Int32) async throws {
    async let isInterrupted = untilInterrupted { try await Task.sleep(for: .seconds(3600)) }
    try await untilHandled(signal)
    kill(getpid(), signal)
    guard try await isInterrupted else { throw NotReached(description: "the body was not interrupted") }
}

/// Waits until this process handles a signal. Until then, the signal would end the process.
private func untilHandled(_ signal: Int32) async throws {
    try await until("signal \(signal) is handled") {
        var action = sigaction()
        return sigaction(signal, nil, &action) != 0 || action.__sigaction_handler.sa_handler != nil
    }
}
