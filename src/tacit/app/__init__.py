"""The verbs of each room over one opened store: a class a room, put on by `Room.of(memory)`."""
