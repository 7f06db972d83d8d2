import Glibc

/// Writes a line to standard error, which is inherited from `scenebus bench`.
func complain(_ text: String) {
    let line = "scenebus-bench-peer: \(text)\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
}
