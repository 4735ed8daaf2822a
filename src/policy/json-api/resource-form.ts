import type { InverseField, ModelDescription, OwnedRelation, RelationField } from '../../model/description.ts'
import { isReadable, type ModelView } from '../../model/model-view.ts'

/** A relation with the texts that stand around what differs from item to item. */
export interface RelationForm<F extends RelationField = RelationField> {
  readonly field: F
  readonly wire: string
  /** `"author":{"links":{"self":"` */
  readonly open: string
  /** `/relationships/author","related":"` */
  readonly toRelated: string
  /** `/author"` */
  readonly afterLinks: string
  /** `/relationships/author` */
  readonly toRelationship: string
  /** `{"type":"authors","id":` */
  readonly identifier: string
}

/** A model with all of its texts that no item changes. */
export interface ResourceForm {
  /** `{"type":"books","id":` */
  readonly open: string
  /** `/books/` */
  readonly path: string
  readonly owned: readonly RelationForm<OwnedRelation>[]
  readonly inverse: readonly RelationForm<InverseField>[]
  /** Wire names of the members that are links to binary resources. */
  readonly resources: readonly string[]
  /** Do values hold links to binary resources? */
  readonly linksInValues: boolean
}

export function resourceForm(view: ModelView): ResourceForm {
  const { model } = view
  const seen = model.relations.filter((relation) => isReadable(view, relation))
  return Object.freeze({
    open: identifierOpen(model),
    path: `/${model.plural}/`,
    owned: seen.filter((field) => field.kind !== 'inverse').map((field) => relationForm(field as OwnedRelation)),
    resources: model.resources.filter((field) => isReadable(view, field)).map((field) => field.wire),
    linksInValues: model.values.some((field) => field.resources !== undefined),
    inverse: seen.filter((field) => field.kind === 'inverse').map((field) => relationForm(field as InverseField)),
  })
}

function relationForm<F extends RelationField>(field: F): RelationForm<F> {
  return {
    field,
    wire: field.wire,
    open: `"${field.wire}":{"links":{"self":"`,
    toRelated: `/relationships/${field.wire}","related":"`,
    afterLinks: `/${field.wire}"`,
    toRelationship: `/relationships/${field.wire}`,
    identifier: identifierOpen(field.target),
  }
}

/** Names are checked when models are described: they need no escapes. */
export function identifierOpen({ plural }: ModelDescription): string {
  return `{"type":"${plural}","id":`
}
