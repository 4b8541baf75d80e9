"""Training sentence encoders: pairs, negatives, the loss and the trainer."""
