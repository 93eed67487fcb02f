"""The verification checklist as rules that read code: one file a rule, with its valid and invalid cases beside it."""
