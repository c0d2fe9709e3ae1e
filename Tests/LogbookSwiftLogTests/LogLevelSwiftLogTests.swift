#if SwiftLog
    import LogbookCore
    import LogbookSwiftLog
    import Logging
    import Testing

    @Suite struct LogLevelSwiftLogTests {
        @Test func levelsMapOneToOneAndInOrder() {
            #expect(LogLevel.allCases.map(Logger.Level.init) == Logger.Level.allCases)
            #expect(Logger.Level.allCases.map(LogLevel.init) == LogLevel.allCases)
        }
    }
#endif
