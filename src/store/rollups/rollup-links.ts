import { memoizeBy } from '../../cache/memoize-by.ts'
import type {
  InverseField,
  ModelDescription,
  OwnedRelation,
  RollupField,
} from '../../model/model-description.ts'

/** The rollups over one relation: its items, which have the sources, and who has the values. */
export interface RollupLink {
  readonly parent: ModelDescription
  readonly child: ModelDescription
  /** Of the child: it leads to the parent. */
  readonly relation: OwnedRelation
  readonly fields: readonly RollupField[]
}

/** The relations that a model has rollups over. */
export const linksOfParent: (parent: ModelDescription) => readonly RollupLink[] = memoizeBy(
  (parent: ModelDescription): readonly RollupLink[] => {
    const fieldsOf = new Map<InverseField, RollupField[]>()
    for (const field of parent.rollupFields) {
      const { relation } = field.computed
      fieldsOf.set(relation, [...(fieldsOf.get(relation) ?? []), field])
    }
    return Array.from(fieldsOf, ([relation, fields]) => ({
      parent,
      child: relation.relatedModel,
      relation: relation.inverseOf,
      fields,
    }))
  },
)

/** The rollups that a write of a model changes. */
export const linksOfChild: (child: ModelDescription) => readonly RollupLink[] = memoizeBy(
  (child: ModelDescription): readonly RollupLink[] =>
    [...new Set(child.ownedRelations.map(({ relatedModel }) => relatedModel))]
      .flatMap(linksOfParent)
      .filter((link) => link.child === child),
)

/** The rollups that writes change, by model, without those that no rollups are over. */
export function linksByChild(
  models: readonly ModelDescription[],
): ReadonlyMap<ModelDescription, readonly RollupLink[]> {
  return new Map(
    models
      .map((model) => [model, linksOfChild(model)] as const)
      .filter(([, links]) => links.length > 0),
  )
}
