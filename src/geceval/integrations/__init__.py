"""geceval within the tools that people train and evaluate models with.

Each module is imported by itself, and needs the tool that it is named after.
"""
