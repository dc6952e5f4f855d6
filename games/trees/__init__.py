"""Games that OpenSpiel knows as trees: policies, information states, exact values, families with parameters."""
