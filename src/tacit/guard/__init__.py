"""What must not get in or out: secrets are redacted, and text that seems meant to steer its reader is held."""
