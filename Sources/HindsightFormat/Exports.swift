// The values that recordings hold, and the mark of a field whose values they do not hold.
@_exported import enum HindsightTree.Node
@_exported import struct HindsightTree.NodePath
@_exported import struct HindsightTree.Patch
@_exported import protocol HindsightTree.Redactable
@_exported import struct HindsightTree.Redacted
@_exported import struct HindsightTree.TreeError
