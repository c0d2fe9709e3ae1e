/// Ends the program where a value that it has set cannot be, and says which: `precondition` says nothing in an optimized program.
package func requireValid(
    _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !condition { fatalError(message(), file: file, line: line) }
}
