"""Chinese: edits of characters, or of words that are segmented already.

Zhang et al. (2022), MuCGEC: a Multi-Reference Multi-Source Evaluation Dataset for Chinese
Grammatical Error Correction, NAACL. `annotator` puts the parts together.
"""
