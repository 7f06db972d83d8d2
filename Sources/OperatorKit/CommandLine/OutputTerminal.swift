import Glibc

/// The terminal to which the standard output goes.
package enum OutputTerminal {
    /// Its width in columns; `nil` if the output goes to something else.
    package static var width: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
