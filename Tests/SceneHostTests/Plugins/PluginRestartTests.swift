import TestKit
import Bus
import Glibc
import Testing

@testable import SceneHost

/// Processes that an operator restarts.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PluginRestartTests {
    @Test("A restarted plugin that ignores SIGTERM is shown as ending, and is killed after its limit")
    func stubborn() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            {"id": "clock", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "run", "startSeconds": 0}
            """, to: "clock/plugin.json")
        // It waits for the end of its standard input, which comes with the end of the supervisor.
        let executable = try folder.write("#!/bin/sh\ntrap '' TERM\n: > ready\nread line\n", to: "clock/run")
        #expect(chmod(executable, 0o755) == 0)
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let supervisor = try PluginSupervisor(
            folders: [folder.path], endpoint: "", overrides: [], logger: LiveHost.logger, isHostBehind: { _ in false },
            onEnd: { _, _, wasKilled in end.yield(wasKilled) })
        let clock = try #require(supervisor.instance(named: "clock"))
        let running = Task { await supervisor.run() }
        defer { running.cancel() }
        while !Task.isCancelled, clock.pid == nil || access("\(folder.path)/clock/ready", F_OK) != 0 {
            await Task.yield()
        }

        try supervisor.restart("clock")
        #expect(clock.status.state == .ending)
        if clock.status.state == .ending {
            var iterator = ends.makeAsyncIterator()
            let wasKilled = await iterator.next(isolation: MainActor.shared)
            #expect(wasKilled == true)
            #expect(clock.status.restarts == 1)
            #expect(clock.status.problem?.contains("did not end within") == true)
        }
        running.cancel()
        await running.value
    }
}
