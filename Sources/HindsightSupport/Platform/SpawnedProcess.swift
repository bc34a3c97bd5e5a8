#if !(os(tvOS) || os(watchOS))
    /// Starts a program in a new process, with other descriptors than this process has.
    ///
    /// tvOS and watchOS have no such function. On iOS, it exists, but the system permits it to no app.
    package final class SpawnedProcess {
        // Optional pointers on Apple's systems, structs on others.
        #if canImport(Darwin)
            private var actions: posix_spawn_file_actions_t?
            private var attributes: posix_spawnattr_t?
        #else
            private var actions = posix_spawn_file_actions_t()
            private var attributes = posix_spawnattr_t()
        #endif

        package init() {
            posix_spawn_file_actions_init(&actions)
            posix_spawnattr_init(&attributes)
        }

        deinit {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }

        /// Gives the program a descriptor of this process under another number, after all earlier changes.
        package func give(_ descriptor: Int32, as number: Int32) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }

        /// Gives the program `/dev/null`, after all earlier changes.
        ///
        /// - Parameter access: `O_RDONLY`, `O_WRONLY` or `O_RDWR`.
        package func giveNull(as number: Int32, access: Int32) {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", access, 0)
        }

        /// Makes a signal, which this process may ignore, have its default action in the program.
        package func restoreDefault(of signal: Int32) {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, signal)
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        }

        /// Starts a program.
        ///
        /// - Parameters:
        ///   - program: Its path.
        ///   - isInPath: Whether the program is only a name, and `PATH` says where it is.
        ///   - arguments: Its arguments, with its own name as the first one.
        /// - Returns: The id of the process, or an error number.
        package func start(
            _ program: String,
            isInPath: Bool = false,
            _ arguments: [String],
            environment: [String: String]
        ) -> (id: pid_t, error: Int32) {
            // If this process inherited that SIGCHLD is ignored, the system would not tell how the program ended.
            signal(SIGCHLD, SIG_DFL)
            var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
            words.append(nil)
            var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") }
            variables.append(nil)
            defer { for text in words + variables { free(text) } }
            var id = pid_t()
            let error =
                isInPath
                ? posix_spawnp(&id, program, &actions, &attributes, words, variables)
                : posix_spawn(&id, program, &actions, &attributes, words, variables)
            return (id, error)
        }

        /// Waits for the end of a program.
        ///
        /// - Returns: Its status, as `waitpid` has it.
        @discardableResult
        package static func wait(for id: pid_t) -> Int32 {
            var status: Int32 = 0
            while waitpid(id, &status, 0) == -1, errno == EINTR {}
            return status
        }
    }
#endif
