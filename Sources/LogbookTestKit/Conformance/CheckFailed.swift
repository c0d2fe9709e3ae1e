/// A promise was not kept.
package struct CheckFailed: Error {
    let explanation: String
    package init(_ explanation: String) { self.explanation = explanation }
}
