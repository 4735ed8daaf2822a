import type { Statement } from '../sql/statement-cache.ts'

/** A message in the log is a change, so that its commit waits for the standbys. */
export const messageConfirmation: Statement = {
  sql: "select pg_logical_emit_message(true, 'resourcery', '') where current_setting('synchronous_standby_names') <> ''",
  parameters: [],
}
