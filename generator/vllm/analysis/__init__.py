"""What a configuration says the model is: one aspect a file, each with the field that says so."""
