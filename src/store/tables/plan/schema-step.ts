import type { TableName } from '../../../model/storage.ts'
import type {
  RelationalColumn,
  RelationalExclusion,
  RelationalIndex,
  RelationalLayout,
} from '../relational-layout.ts'

/** A step of a plan as the store executes it; see `PlanStep`. */
export type SchemaStep =
  | {
      readonly kind: 'instant' | 'never'
      readonly summary: string
      readonly sql: readonly string[]
      /** Can processes of the old version not go on after it? Absent if they can. */
      readonly endsOldProcesses?: true
      /** Does it fail before rows without a value are filled in? Absent if it does not. */
      readonly followsFilling?: true
    }
  | {
      readonly kind: 'online'
      readonly summary: string
      /** The table whose rows it reads. */
      readonly table: TableName
      /** While others write. */
      readonly onlineSql: readonly string[]
      /** In the transaction of a start. */
      readonly sql: readonly string[]
      /** What would refuse the step; undefined if nothing can. */
      readonly requires: RowRule | undefined
      /** Does it refuse what processes of the old version write? Absent if it does not. */
      readonly endsOldProcesses?: true
      readonly followsFilling?: true
      /** How many rows it reads in a second; undefined for the usual. */
      readonly rowsPerSecond?: number
    }
  | {
      /** Refused if rows lack the value. */
      readonly kind: 'requires'
      readonly summary: string
      readonly sql: readonly string[]
      readonly lacking: LackingColumn
    }
  | {
      /** Rows without a value get it, once the column is there. */
      readonly kind: 'backfill'
      /** Where the value comes from: the function of the field, or the default of its schema. */
      readonly source: 'function' | 'default'
      readonly summary: string
      readonly sql: readonly string[]
      readonly lacking: LackingColumn
    }
  | { readonly kind: 'refused'; readonly summary: string }

/** What a new index or foreign key requires of the rows that exist. */
export type RowRule = { readonly layout: RelationalLayout } & (
  | { readonly kind: 'unique'; readonly index: RelationalIndex }
  | { readonly kind: 'overlap'; readonly exclusion: RelationalExclusion }
  | {
      readonly kind: 'related'
      readonly column: RelationalColumn
      readonly target: RelationalLayout
    }
)

/** A column, in a table whose rows may have no value for it. */
export interface LackingColumn {
  readonly layout: RelationalLayout
  readonly column: RelationalColumn
  /** The rows that need one: all of them where the column is new, or its values are made again. */
  readonly rows: 'all' | 'withoutValue'
}

/** The statements of the steps that a start executes, in their order. */
export function startStatements(steps: readonly SchemaStep[]): readonly string[] {
  return steps.flatMap((step) => (step.kind === 'never' || step.kind === 'refused' ? [] : step.sql))
}
