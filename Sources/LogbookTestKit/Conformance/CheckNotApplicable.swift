/// The check has nothing to say about this subject.
package struct CheckNotApplicable: Error {
    let reason: String
    package init(_ reason: String) { self.reason = reason }
}
