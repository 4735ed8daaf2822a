import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import type { AccessDecision } from './access-decision.ts'
import { mayHold } from './may-hold.ts'
import type { ModelAccess } from './model-access.ts'
import { isAboutCaller } from './parts-of-expression.ts'

/** Members of a model that do not exist for some callers, by wire name. */
export interface HiddenMembers {
  readonly hidden: ReadonlySet<string>
  /** Those of them that the callers can set. */
  readonly writable: ReadonlySet<string>
  /** Members that exist for the callers, and that they can set in no item. */
  readonly unsettable: ReadonlySet<string>
}

export type HiddenByModel = ReadonlyMap<ModelDescription, HiddenMembers>

/**
 * Groups of callers that see and set the same fields in some item: by the rules that depend on the
 * caller alone, and by whether the caller has what the others compare with the item.
 */
export interface FieldVariants {
  /** The same for callers of one group; empty for those from whom no rule keeps a field. */
  keyOf(caller: unknown): string
  /** What does not exist for the group of the caller. */
  hiddenFrom(caller: unknown): HiddenByModel
  /** Does no rule of a field depend on the caller? */
  readonly isSingle: boolean
  /** What exists for no caller. */
  readonly hiddenFromAll: HiddenByModel
}

/** The groups by the rules of all models. */
export function fieldVariants(accesses: readonly ModelAccess[]): FieldVariants {
  // A field without `write` has the rule of `read` twice.
  const expressions = [
    ...new Set(
      accesses.flatMap(({ fields }) =>
        fields.flatMap(({ read, write }) =>
          [read, write].filter(dependsOnCaller).map(({ expression }) => expression),
        ),
      ),
    ),
  ]
  const mayHoldFor = (caller: unknown, decision: AccessDecision) =>
    !dependsOnCaller(decision) || mayHold(decision.expression, { caller, now })
  const hiddenWhere = (isHidden: (decision: AccessDecision) => boolean) => {
    const byModel = new Map<ModelDescription, MutableMembers>()
    const membersOf = (model: ModelDescription) => {
      const members = byModel.get(model) ?? {
        hidden: new Set(),
        writable: new Set(),
        unsettable: new Set(),
      }
      byModel.set(model, members)
      return members
    }
    for (const { model, fields } of accesses)
      for (const { field, read, write } of fields) {
        if (!isHidden(read)) {
          if (isHidden(write)) membersOf(model).unsettable.add(field.wireName)
          continue
        }
        membersOf(model).hidden.add(field.wireName)
        if (!isHidden(write)) membersOf(model).writable.add(field.wireName)
        // From the other side, the relation would tell the same.
        for (const inverse of inversesOf(field))
          membersOf(inverse.owner).hidden.add(inverse.wireName)
      }
    return byModel
  }
  return Object.freeze({
    keyOf: (caller: unknown) => {
      const bits = expressions.map((expression) => (mayHold(expression, { caller, now }) ? 1 : 0))
      return bits.includes(0) ? bits.join('') : ''
    },
    hiddenFrom: (caller: unknown) =>
      hiddenWhere((decision) => decision.kind === 'never' || !mayHoldFor(caller, decision)),
    isSingle: expressions.length === 0,
    hiddenFromAll: hiddenWhere(({ kind }) => kind === 'never'),
  })
}

/** Are there callers for whom the rule can hold in no item? */
export function dependsOnCaller(
  decision: AccessDecision,
): decision is Exclude<AccessDecision, { readonly kind: 'always' | 'never' }> {
  return 'expression' in decision && isAboutCaller(decision.expression)
}

/** Any time will do: no rule compares the caller with it. */
const now = new Date(0)

interface MutableMembers extends HiddenMembers {
  readonly hidden: Set<string>
  readonly writable: Set<string>
  readonly unsettable: Set<string>
}

interface InverseName {
  readonly owner: ModelDescription
  readonly wireName: string
}

function inversesOf(field: FieldDescription): readonly InverseName[] {
  if (field.kind !== 'toOne' && field.kind !== 'toMany') return []
  const owner = field.relatedModel
  return owner.fields.flatMap((other) =>
    other.kind === 'inverse' && other.inverseOf === field
      ? [{ owner, wireName: other.wireName }]
      : [],
  )
}
