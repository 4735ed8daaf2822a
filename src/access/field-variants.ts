import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import type { AccessDecision } from './access-decision.ts'
import { conditionOf } from './field-guards.ts'
import type { ModelAccess } from './model-access.ts'

/** Members of a model that do not exist for some callers, by wire name. */
export interface HiddenMembers {
  readonly hidden: ReadonlySet<string>
  /** Those of them that the callers can set. */
  readonly writable: ReadonlySet<string>
  /** Members that exist for the callers, and that they can set in no item. */
  readonly unsettable: ReadonlySet<string>
}

export type HiddenByModel = ReadonlyMap<ModelDescription, HiddenMembers>

/** Groups of callers that see and set the same fields, by the rules that depend on the caller. */
export interface FieldVariants {
  /** The same for callers of one group; empty for those from whom no rule keeps a field. */
  keyOf(caller: unknown): string
  /** What does not exist for the group of the caller. */
  hiddenFrom(caller: unknown): HiddenByModel
  /** Does no rule of a field depend on the caller alone? */
  readonly isSingle: boolean
  /** What exists for no caller. */
  readonly hiddenFromAll: HiddenByModel
}

/** The groups by the rules of all models. */
export function fieldVariants(accesses: readonly ModelAccess[]): FieldVariants {
  const decisions = accesses.flatMap(({ model, fields }) =>
    fields.flatMap(({ read, write }) =>
      [read, write]
        .filter(({ kind }) => kind === 'caller')
        .map((decision) => ({ model, decision })),
    ),
  )
  const holds = (decision: AccessDecision, model: ModelDescription, caller: unknown) =>
    decision.kind !== 'caller' || conditionOf(decision, model, { caller }).kind !== 'never'
  const hiddenWhere = (
    isHidden: (decision: AccessDecision, model: ModelDescription) => boolean,
  ) => {
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
        if (!isHidden(read, model)) {
          if (isHidden(write, model)) membersOf(model).unsettable.add(field.wireName)
          continue
        }
        membersOf(model).hidden.add(field.wireName)
        if (!isHidden(write, model)) membersOf(model).writable.add(field.wireName)
        // From the other side, the relation would tell the same.
        for (const inverse of inversesOf(field))
          membersOf(inverse.owner).hidden.add(inverse.wireName)
      }
    return byModel
  }
  return Object.freeze({
    keyOf: (caller: unknown) => {
      const bits = decisions.map(({ model, decision }) => (holds(decision, model, caller) ? 1 : 0))
      return bits.includes(0) ? bits.join('') : ''
    },
    hiddenFrom: (caller: unknown) =>
      hiddenWhere(
        (decision, model) => decision.kind === 'never' || !holds(decision, model, caller),
      ),
    isSingle: decisions.length === 0,
    hiddenFromAll: hiddenWhere(({ kind }) => kind === 'never'),
  })
}

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
