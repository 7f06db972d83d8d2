import Glibc

/// Writes a line to the standard error, which is that of `scenebus bench`.
func complain(_ text: String) {
    let line = "scenebus-bench-peer: \(text)\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
}
