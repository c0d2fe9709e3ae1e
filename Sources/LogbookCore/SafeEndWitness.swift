/// A provider that wants to know when the program ends with everything safe.
package protocol SafeEndWitness: LogProvider {
    /// Called on the thread that ends the program, after every provider has been flushed; events may still come.
    func programEndsSafely()
}
