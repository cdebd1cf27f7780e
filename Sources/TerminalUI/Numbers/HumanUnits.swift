import Units

/// The unit formats, for modules that import TerminalUI.
package typealias HumanUnits = Units.HumanUnits
