"""What encoders have learned: the gates of GRAN by part of speech, and where two encoders disagree."""
