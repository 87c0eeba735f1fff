"""The desk: look after memory in a browser. `tacit serve` opens it, on this machine alone unless told otherwise."""
