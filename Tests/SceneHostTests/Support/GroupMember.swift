import Glibc
import TestKit

/// A process in the process group of this one, as a script's program is in the group of the script.
final class GroupMember {
    let pid: pid_t

    init() throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        guard posix_spawnp(&pid, "sleep", nil, nil, &arguments, nil) == 0 else {
            throw NotReached(description: "a second process")
        }
        self.pid = pid
    }

    deinit {
        kill(pid, SIGKILL)
        var status: CInt = 0
        waitpid(pid, &status, 0)
    }
}
