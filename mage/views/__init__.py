"""What a person sees in the terminal, drawn from records and the event log; nothing here imports torch."""
