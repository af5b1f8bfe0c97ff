"""The version, for rooms that may import nothing else of ours."""

VERSION = "0.1.0"
