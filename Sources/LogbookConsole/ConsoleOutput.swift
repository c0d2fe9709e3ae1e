/// Which of the process's two streams a console writes to.
public enum ConsoleOutput: Sendable, Hashable {
    case standardOutput
    case standardError
}
