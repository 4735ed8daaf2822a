import type { CheckRule } from './check-rules.ts'

/** The schema of a column with limits, as an expression of zod. */
export interface LimitedSchema {
  readonly text: string
  /** The rules that it does not say, so that only the database knows them. */
  readonly databaseRules: ReadonlySet<CheckRule>
}
