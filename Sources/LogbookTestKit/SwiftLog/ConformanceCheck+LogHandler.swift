#if SwiftLog
    /// What every handler of swift-log promises.
    extension ConformanceCheck {
        public static let handlerTakesOne = ConformanceCheck("handlerTakesOne", "what is logged stands there, with its text")
        public static let handlerWritesOnce = ConformanceCheck("handlerWritesOnce", "a call makes one line, and lines stand in their order")
        public static let handlerEveryLevel = ConformanceCheck("handlerEveryLevel", "calls of all seven levels arrive, with their level")
        public static let handlerKeepsLevel = ConformanceCheck(
            "handlerKeepsLevel", "a level that is set is the handler's level, and nothing below it is written")
        public static let handlerLevelIsAValue = ConformanceCheck(
            "handlerLevelIsAValue", "changing the level of a copy changes nothing else")
        public static let handlerKeepsMetadata = ConformanceCheck(
            "handlerKeepsMetadata", "metadata by key and as a whole are the same thing, and nil takes a key out")
        public static let handlerMetadataIsAValue = ConformanceCheck(
            "handlerMetadataIsAValue", "changing the metadata of a copy changes nothing else")
        public static let handlerWritesMetadata = ConformanceCheck(
            "handlerWritesMetadata", "the logger's metadata and the call's are written")
        public static let handlerMetadataOfEveryKind = ConformanceCheck(
            "handlerMetadataOfEveryKind", "texts, other values, arrays and dictionaries arrive")
        public static let handlerCallWins = ConformanceCheck("handlerCallWins", "of a key that both have, the call's value is written")
        public static let handlerForgetsTheCall = ConformanceCheck(
            "handlerForgetsTheCall", "the metadata of one call is not written with the next")
        public static let handlerAsksItsProvider = ConformanceCheck(
            "handlerAsksItsProvider", "the metadata provider is asked at every call, and what it says is written")
        public static let handlerProviderIsAValue = ConformanceCheck(
            "handlerProviderIsAValue", "changing the metadata provider of a copy changes nothing else")
        public static let handlerProviderWins = ConformanceCheck(
            "handlerProviderWins", "of a key that both have, the metadata provider's value is written, not the logger's")
        public static let handlerCallWinsOverProvider = ConformanceCheck(
            "handlerCallWinsOverProvider", "of a key that both have, the call's value is written, not the metadata provider's")
        public static let handlerWritesAllMetadata = ConformanceCheck(
            "handlerWritesAllMetadata", "the metadata of the logger, the metadata provider and the call is written together")
        public static let handlerKeepsSource = ConformanceCheck("handlerKeepsSource", "a source that is given arrives")
        public static let handlerKeepsError = ConformanceCheck("handlerKeepsError", "an error that is given arrives")
        public static let handlerOldForm = ConformanceCheck(
            "handlerOldForm", "the deprecated form of the call loses neither message nor metadata")
        public static let handlerEmptyMessage = ConformanceCheck("handlerEmptyMessage", "a call without text makes a line")
        public static let handlerOneInOneOut = ConformanceCheck(
            "handlerOneInOneOut", "no text, of message, metadata, error or place, can make two lines of a call, or none")
        public static let handlerHostileText = ConformanceCheck(
            "handlerHostileText", "line ends, control and bidirectional characters, quotes and NUL arrive unchanged (unless not claimed)")
        public static let handlerConcurrency = ConformanceCheck(
            "handlerConcurrency", "calls that many threads make at the same time all arrive, each once")
    }
#endif
