package import Glibc

/// What the system knows of a user.
package enum UserAccount {
    /// The user's home folder, of `HOME` or of the user database; `nil` when neither knows one.
    package static func home(of user: uid_t = geteuid(), environment: (String) -> String?) -> String? {
        if let home = environment("HOME"), home.hasPrefix("/") { return home }
        return entry(of: user).flatMap { $0.home.hasPrefix("/") ? $0.home : nil }
    }

    /// Whether a group is the user's alone: root's, or the one that many systems make for each user and that bears the user's name.
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
        // Of a group with thousands of members more would be needed: that is nobody's own.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { body($0.baseAddress!, $0.count) }
    }
}
