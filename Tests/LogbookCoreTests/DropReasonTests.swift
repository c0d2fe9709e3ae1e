import LogbookCore
import Testing

@Suite struct DropReasonTests {
    @Test("§2.4: names of reasons are the same in every version, for who counts them")
    func namesAreStable() {
        let reasons: [(DropReason, String)] = [
            (.queueFull, "queue_full"), (.spoolFull, "spool_full"), (.oversize, "oversize"), (.corruptRecovered, "corrupt_recovered"),
            (.rejectedByServer, "rejected_by_server"), (.inputOutputError, "io_error"), (.alreadyShutDown, "already_shutdown"),
            (.providerError, "provider_error"), (.providerTimeout, "provider_timeout"), (.reentrant, "reentrant"),
            (.forkChild, "fork_child"), (.processDied, "process_died"), (.keptElsewhere, "kept_elsewhere"),
        ]
        for (reason, name) in reasons { #expect(reason.rawValue == name && "\(reason)" == name) }
    }
}
