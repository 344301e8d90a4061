"""How Alembic runs the migrations: on the connection that `geceval.serve.database` gives it."""

from alembic import context

from geceval.serve.database.orm import Record

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Record.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
