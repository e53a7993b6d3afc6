"""All side effects: disk, programs, terminal. Nothing here decides anything about gangs."""
