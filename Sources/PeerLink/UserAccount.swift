package import Glibc

/// The system's information about a user.
package enum UserAccount {
    /// Returns the folder in which this user's hosts keep their state, `scenebus` in `XDG_STATE_HOME` or
    /// `~/.local/state`; `nil` when there is no home folder.
    package static func stateFolder(environment: (String) -> String?) -> String? {
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/scenebus" }
        return home(environment: environment).map { "\($0)/.local/state/scenebus" }
    }

    /// Returns the user's home folder, from `HOME` or the user database; `nil` when neither contains one.
    package static func home(of user: uid_t = geteuid(), environment: (String) -> String?) -> String? {
        if let home = environment("HOME"), home.hasPrefix("/") { return home }
        return entry(of: user).flatMap { $0.home.hasPrefix("/") ? $0.home : nil }
    }

    /// Whether a group belongs to one user alone. This is root's group, or the group that many systems create for each
    /// user under the user's name.
    static func isPrivate(group: gid_t, of user: uid_t) -> Bool {
        if group == 0 { return true }
        guard let name = entry(of: user)?.name else { return false }
        var (record, found) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        return withBuffer { buffer, count in
            guard getgrgid_r(group, &record, buffer, count, &found) == 0, found != nil,
                String(cString: record.gr_name) == name
            else { return false }
            var member = record.gr_mem
            while let text = member?.pointee {
                if String(cString: text) != name { return false }
                member = member?.successor()
            }
            return true
        }
    }

    private static func entry(of user: uid_t) -> (name: String, home: String)? {
        var (record, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        return withBuffer { buffer, count in
            guard getpwuid_r(user, &record, buffer, count, &found) == 0, found != nil else { return nil }
            return (String(cString: record.pw_name), String(cString: record.pw_dir))
        }
    }

    private static func withBuffer<Result>(_ body: (UnsafeMutablePointer<CChar>, Int) -> Result) -> Result {
        // A group with thousands of members would need more, but such a group belongs to no single user.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { body($0.baseAddress!, $0.count) }
    }
}
