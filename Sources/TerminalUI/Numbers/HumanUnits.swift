import Units

/// The unit formatter, for modules that import TerminalUI.
package typealias HumanUnits = Units.HumanUnits
