"""Tables, figures, page sections and their export, independent of any metric."""
