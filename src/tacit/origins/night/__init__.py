"""Between runs, in a project that is like an origin."""
