extension Installation {
    /// The folder of the plugins that a test makes, for `--plugins`.
    var pluginFolder: String { "\(folder)/plugins" }

    /// Makes a plugin's folder, with its manifest and, optionally, a script as its executable.
    /// - Parameters:
    ///   - keys: further keys of the manifest, each after a comma.
    ///   - startSeconds: in how many seconds it has to attach, 0 for no limit; `nil` for the default.
    ///   - executable: a built program; `nil` for one of the plugin's name in its folder.
    ///   - script: what the shell runs as the plugin.
    func makePlugin(
        _ id: String, _ keys: String = "", startSeconds: Int? = nil, executable: String? = nil, script: String? = nil
    ) throws {
        let start = startSeconds.map { #", "startSeconds": \#($0)"# } ?? ""
        try write(
            """
            {"id": "\(id)", "version": "1.0.0", "protocol": {"min": 1, "max": 1},
             "executable": "\(executable ?? id)"\(start)\(keys)}
            """, to: "plugins/\(id)/plugin.json")
        if let script { try write("#!/bin/sh\n\(script)\n", to: "plugins/\(id)/\(id)", mode: 0o755) }
    }
}
