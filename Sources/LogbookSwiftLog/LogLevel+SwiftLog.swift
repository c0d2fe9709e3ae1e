#if SwiftLog
    public import LogbookCore
    public import Logging

    extension LogLevel {
        /// The level of the same name; `trace` is ``LogLevel/verbose``.
        public init(_ level: Logger.Level) {
            switch level {
            case .trace: self = .verbose
            case .debug: self = .debug
            case .info: self = .info
            case .notice: self = .notice
            case .warning: self = .warning
            case .error: self = .error
            case .critical: self = .critical
            }
        }
    }

    extension Logger.Level {
        /// The level of the same name; ``LogLevel/verbose`` is `trace`.
        public init(_ level: LogLevel) {
            switch level {
            case .verbose: self = .trace
            case .debug: self = .debug
            case .info: self = .info
            case .notice: self = .notice
            case .warning: self = .warning
            case .error: self = .error
            case .critical: self = .critical
            }
        }
    }
#endif
