import Glibc
import ZeroMQ

/// Runs the main loop, which a test cannot do because its process has another main executor, and exits with 0 when the
/// loop has woken up for jobs from other threads, and has seen an event while jobs kept it busy.
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
}
