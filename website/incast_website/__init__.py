"""The documentation site: pages of the repository, and pages generated from the program itself."""
