/// How patient a collector is with a connection, and how many it takes.
public struct ConnectionLimits: Sendable, Hashable {
    /// Connections at the same time at most. Where one more comes, the one that has waited longest without asking for anything is
    /// closed; when there is none, the new one. In a process that may not have descriptors for so many there are fewer, and it says so.
    public var maximum = 1024
    /// Of these, from one address, which in IPv6 is all that begin with the same 64 bits; this machine's own count only among all.
    /// Behind a load balancer or a NAT all senders may have one address: then as many as ``maximum``.
    public var maximumPerAddress = 64
    /// After so long a new connection must have sent its first request up to the end of the header.
    public var headDeadline = Duration.seconds(10)
    /// After so long an open connection must have sent its next; and one that does not read must have taken some of its answers.
    public var idleTimeout = Duration.seconds(30)
    /// Bytes of a body per second at least, in the latest ``bodyWindow``, of which ``bodyGrace`` does not count. The time is that for which
    /// the collector has waited: while it is not ready to read, none passes.
    public var minimumBodyBytesPerSecond = 1024
    /// How long a body may keep the collector waiting before its bytes per second are counted, and in every window.
    public var bodyGrace = Duration.seconds(5)
    /// Over how much waiting the bytes per second are counted: what came faster before does not make up for what trickles in now. Several
    /// times ``bodyGrace``, so that a link that is gone for some seconds ends nothing.
    public var bodyWindow = Duration.seconds(30)
    /// For how long a body may keep the collector waiting altogether. Four hours are enough for 1 GiB at 75 KiB a second.
    public var bodyDeadline = Duration.seconds(4 * 3600)
    /// For how long the rest of a request that was answered before it had all come is still taken, and thrown away; then its connection is
    /// closed. Whoever sends first and reads then has the answer by then.
    public var unwantedBodyDeadline = Duration.seconds(10)
    /// How long requests under way may take once the collector was told to stop. What is not answered by then is broken off, and
    /// whoever sent it sends it again.
    public var stopDeadline = Duration.seconds(30)

    public init() {}

    /// Each takes a descriptor, of which a system has no more than its numbers.
    static let most = Int(Int32.max)

    /// How often a body is looked at.
    var bodyLook: Duration { max(.milliseconds(10), min(.seconds(1), bodyGrace / 2)) }
}
