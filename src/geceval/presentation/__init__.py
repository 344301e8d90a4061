"""How anything is shown: tables, figures, pages and files. Knows no metric."""
