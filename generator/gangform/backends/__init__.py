"""One module per scheduler. Knows its group object, marks and names; nothing about job APIs."""
