// The values that recordings hold, and the marks of what they hold otherwise, or not at all.
@_exported import struct HindsightTree.Described
@_exported import enum HindsightTree.Node
@_exported import struct HindsightTree.NodePath
@_exported import struct HindsightTree.Patch
@_exported import protocol HindsightTree.Redactable
@_exported import struct HindsightTree.Redacted
@_exported import struct HindsightTree.TreeError
