"""The desk: look after memory in a browser. `tacit desk` opens it, on this machine alone unless told otherwise."""
