import type { ModelDraft } from './model-draft.ts'
import { memberName, toCamelCase, withoutId } from './names.ts'

export interface FieldNames {
  readonly name: string
  /** The name that clients see, where it is another one. */
  readonly wire: string | undefined
}

/**
 * The names of the field of a column. Clients see another name where JSON:API reserves it, so that
 * the same models serve every policy. No other field gets that name.
 */
export function fieldNames(draft: ModelDraft, candidates: readonly string[]): FieldNames {
  const name = memberName(candidates, draft.memberNames)
  if (!reservedInJsonApi.has(name)) return { name, wire: undefined }
  const ofColumns = draft.item.table.columns.flatMap((column) =>
    [column.name, withoutId(column.name)].map(toCamelCase),
  )
  const taken = new Set([...draft.memberNames, ...ofColumns])
  const wire = memberName([`${draft.name} ${name}`, `${name} name`], taken)
  draft.memberNames.add(wire)
  return { name, wire }
}

/** Names of no attribute and no relationship (JSON:API 1.1, fields). */
const reservedInJsonApi: ReadonlySet<string> = new Set(['type'])

/** The comment of a field whose name clients do not see. */
export function wireComment({ name, wire }: FieldNames): string | undefined {
  return wire === undefined
    ? undefined
    : `JSON:API reserves the name '${name}', so clients see '${wire}'.`
}
