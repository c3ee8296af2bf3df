"""What the last chapter states: the claims, the comparison table, the quiz, and the distances in code."""
