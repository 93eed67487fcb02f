"""Brings what templates generated earlier up to newer templates, and keeps the edits made since."""
