"""How other agents and evaluations write their runs, one module each; Tacit finds them by the entry points of its group `tacit.formats`."""
