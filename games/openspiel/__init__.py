"""Games of OpenSpiel, through Shimmy: any game as text, words of their own for some, and trying them all."""
