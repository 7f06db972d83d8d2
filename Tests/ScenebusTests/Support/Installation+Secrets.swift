extension Installation {
    /// Returns an argument that reads a field's value from a file.
    func secret(_ name: String, _ value: String) throws -> String {
        "\(name)@\(try write(value + "\n", to: "secrets/\(value)", mode: 0o600))"
    }

    /// Joins a host with an invitation, which is no argument.
    func join(_ invitation: String, _ options: String...) async throws -> Outcome {
        let file = try write(invitation + "\n", to: "secrets/invitation", mode: 0o600)
        return try await run(
            "sh",
            ["-c", #"file=$1; shift; exec "$0" join "$@" < "$file""#, "\(Self.executables)/scenebus", file] + options)
    }
}
