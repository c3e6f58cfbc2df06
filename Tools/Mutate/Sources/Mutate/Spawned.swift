// A process in a group of its own, so that those it starts end with it.

internal import Foundation

/// A running process whose output goes to a file.
struct Spawned {
    private let identifier: pid_t

    struct Failure: Error { let code: Int32 }

    init(_ arguments: [String], environment: [String: String], output: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for each in argv + envp { free(each) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, arguments[0], &actions, &attributes, argv, envp)
        guard code == 0 else { throw Failure(code: code) }
        self.identifier = identifier
    }

    /// How it ended: its status, or 128 and the signal; nil while it runs.
    private func status() -> Int32? {
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// Waits for its end, and ends what it started.
    ///
    /// - Parameters:
    ///   - limit: The seconds after which it is ended.
    ///   - isEnough: Whether it is to be ended sooner; asked again and again.
    /// - Returns: How it ended; nil if it was ended here.
    func wait(upTo limit: Double, until isEnough: () -> Bool = { false }) -> Int32? {
        let start = ContinuousClock.now
        while true {
            if let status = status() {
                killRest()
                return status
            }
            if start.duration(to: .now) / .seconds(1) > limit || isEnough() {
                kill()
                return nil
            }
            usleep(5_000)
        }
    }

    /// Ends it and what it started.
    private func kill() {
        killRest()
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
    }

    /// Ends what it started, once it has ended itself.
    private func killRest() {
        _ = Foundation.kill(-identifier, SIGKILL)
    }
}
