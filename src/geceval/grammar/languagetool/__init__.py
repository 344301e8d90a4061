"""LanguageTool, the real one: installed by Maven, run as a server, asked over HTTP."""
