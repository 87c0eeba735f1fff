"""The four systems that Tacit grew from: their files, read and written as they wrote them."""
