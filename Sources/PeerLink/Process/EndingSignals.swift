import CProcess
import Glibc
package import UnixSignals

/// The signals that end a process in order.
package enum EndingSignals {
    /// SIGTERM, SIGINT, SIGQUIT, and SIGHUP unless it was ignored when the process was started, as `nohup` does.
    ///
    /// Read it before one of them is handled. SIGPIPE is ignored from then on: a process must outlive the readers of its
    /// output. The Swift runtime may handle SIGQUIT: then it prints a backtrace, and the process runs on.
    package static var all: [UnixSignal] {
        signal(SIGPIPE, SIG_IGN)
        return scenebus_is_ignored(SIGHUP) ? [.sigterm, .sigint, .sigquit] : [.sigterm, .sigint, .sigquit, .sighup]
    }
}
