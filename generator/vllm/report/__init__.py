"""The analysis for people (text, Markdown in two languages) and for scripts (JSON)."""
