import Glibc
import UnixSignals

/// Returns at Ctrl-C or SIGTERM.
func untilInterrupted() async {
    for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return }
}

/// Lets what was printed be seen now, also by a pipe.
func flushOutput() {
    fflush(nil)
}
