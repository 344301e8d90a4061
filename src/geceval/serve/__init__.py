"""The web application: try edits, score files, and keep leaderboards.

`geceval.serve.application` puts it together. Whatever reads or scores a file that somebody sent
runs in a worker process of its own (`geceval.serve.jobs`), with limits on time and memory.
"""
