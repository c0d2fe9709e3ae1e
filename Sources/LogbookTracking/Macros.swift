/// Makes every function of a type, that has a body, a join point: a place that a plan can name. It says nothing about what is
/// tracked; without a plan a call costs half a nanosecond more.
///
/// `dynamic` methods are woven from outside, so that lines, coverage and breakpoints in them stay exact, unless their type stands in
/// another. Functions marked ``NotTracked()``, operators and functions whose bodies other modules get (`@inlinable`) are left alone.
/// - Parameters:
///   - generic: For a type inside a generic one.
///   - initializers: Initializers too.
///   - exceptions: Names of parameters that no plan can ever capture, in any function of the type, also in one
///     with an `@Tracked` of its own. An extension says its own. Only plain literals can be read, and a name that no parameter has
///     is refused.
@attached(memberAttribute) @attached(peer) @attached(extension, names: arbitrary)
public macro TrackedType(generic: Bool = false, initializers: Bool = false, except exceptions: StaticString...) =
    #externalMacro(module: "LogbookTrackingMacros", type: "TrackedTypeMacro")

/// The same for the functions of an extension. For an extension of a generic type say `generic: true`: its functions are known
/// only once they have been called, so a plan that names them says `"late": true`.
@attached(memberAttribute)
public macro TrackedExtension(generic: Bool = false, initializers: Bool = false, except exceptions: StaticString...) =
    #externalMacro(module: "LogbookTrackingMacros", type: "TrackedExtensionMacro")

/// Makes one function, method or initializer a join point.
/// - Parameters:
///   - generic: For a function inside a generic type or extension.
///   - instance: False when the instance may not be captured, because it cannot be copied.
///   - exceptions: Names of parameters that no plan can ever capture: `@Tracked(except: "pin")`.
@attached(body) @attached(peer)
public macro Tracked(generic: Bool = false, instance: Bool = true, except exceptions: StaticString...) =
    #externalMacro(module: "LogbookTrackingMacros", type: "TrackedMacro")

/// Leaves a function of a tracked type alone: one with a result builder, one that runs a million times a second.
@attached(peer)
public macro NotTracked() = #externalMacro(module: "LogbookTrackingMacros", type: "NotTrackedMacro")

/// The name of a method, checked by the compiler: `#joinPoint(Cart.add(_:quantity:))`. Not possible for `mutating` methods and
/// those of actors, whose references Swift does not allow: write the text.
@freestanding(expression)
public macro joinPoint<Reference>(_ reference: Reference) -> JoinPointName =
    #externalMacro(module: "LogbookTrackingMacros", type: "JoinPointMacro")

/// A join point in the middle of a body: it names a fact, not who tracks it. A plan finds it by its `point`; the values are
/// evaluated only while one does, and are its `$arg`. The type around it may stand before its name, unless the function is tracked itself.
/// Of several in different types or modules that have one name, a plan says which: `App.Cart.vipDiscount`.
///
/// In generic code a point is known from its first call on, so a plan that names it says `"late": true`.
///
/// ```swift
/// #aspectPoint("vipDiscount", ["discount": discount])
/// ```
/// - Parameter generic: For a point in a generic function inside a tracked one. Elsewhere the macros see for themselves.
@freestanding(expression)
public macro aspectPoint(_ name: StaticString, generic: Bool = false, _ values: KeyValuePairs<String, Any> = [:]) -> Void =
    #externalMacro(module: "LogbookTrackingMacros", type: "AspectPointMacro")
