"""The nouns of gangform: frozen values, standard library only.

Every other room speaks in these types. Nothing here reads a file, a clock or the
environment, and nothing here knows a scheduler or a job API.
"""
