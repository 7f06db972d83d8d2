import Glibc
import ZeroMQ

/// Runs the main loop, which a test cannot do because its process has another main executor, and exits with 0 when the
/// loop has woken up for jobs from other threads.
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
            return 0
        }
    }
}
