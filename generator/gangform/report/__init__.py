"""Findings to text and data formats, pure."""
