"""Renders a template folder exactly as copier would, without importing copier."""
