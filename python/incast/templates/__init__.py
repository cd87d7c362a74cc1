"""Files that commands hand out for users to change."""
