import CProcess

/// The process's standard output.
package enum StandardOutput {
    /// Lets each line that is printed be written at once, also to a pipe or a file. By default it would stay in a buffer of
    /// some KiB, so that the last lines of a process appear late, or not at all if it is killed.
    ///
    /// Call it first, before anything is printed.
    package static func bufferLines() { scenebus_buffer_lines() }
}
