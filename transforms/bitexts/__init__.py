"""The files of a bitext: formats, cleaning, samples."""
