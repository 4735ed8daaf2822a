import type { InverseField, ModelDescription, OwnedRelation, RelationField } from '../../model/description.ts'
import { isReadable, type ModelView, type Views } from '../../model/model-view.ts'
import { type LinkageKeys, linkageKeys } from '../../store/linkage.ts'

/** A relation with the texts that stand around what differs from item to item: the item's id, and the linkage. */
export interface RelationForm<F extends RelationField = RelationField> {
  readonly field: F
  readonly wire: string
  /** `"author":{"links":{"self":"/api/books/` */
  readonly open: string
  /** `/relationships/author","related":"/api/books/` */
  readonly toRelated: string
  /** `/author"},"data":{"type":"authors","id":` */
  readonly toOne: string
  /** `/genres"},"data":[{"type":"genres","id":` */
  readonly toMany: string
  /** `{"type":"authors","id":` */
  readonly identifier: string
  /** `"},{"type":"authors","id":"` */
  readonly betweenIds: string
  /** The address of the relationship, by the segment of the item. */
  address(segment: string): string
}

/** A model with all of its texts that no item changes. */
export interface ResourceForm {
  readonly base: string
  /** `{"type":"books","id":` */
  readonly open: string
  /** `,"links":{"self":"/api/books/` */
  readonly toSelf: string
  readonly owned: readonly RelationForm<OwnedRelation>[]
  readonly inverse: readonly RelationForm<InverseField>[]
  /** Where the linkage of the owned relations stands in a stored text. */
  readonly inStored: LinkageKeys
  /** Wire names of the members that are links to binary resources. */
  readonly resources: readonly string[]
  /** Do values hold links to binary resources? */
  readonly linksInValues: boolean
}

/** The forms of all models, for addresses that begin with this base; it hardly ever changes. */
export function resourceForms(views: Views): (base: string) => ReadonlyMap<ModelDescription, ResourceForm> {
  let last: { readonly base: string; readonly forms: ReadonlyMap<ModelDescription, ResourceForm> } | undefined
  return (base) => {
    if (last?.base !== base) last = { base, forms: new Map(views.all.map((view) => [view.model, formOf(view, base)])) }
    return last.forms
  }
}

function formOf(view: ModelView, base: string): ResourceForm {
  const { model } = view
  const path = `${base}/${model.plural}/`
  const seen = model.relations.filter((relation) => isReadable(view, relation))
  return Object.freeze({
    base,
    open: identifierOpen(model),
    toSelf: `,"links":{"self":"${path}`,
    owned: seen.filter((field) => field.kind !== 'inverse').map((field) => relationForm(field, path)),
    inverse: seen.filter((field) => field.kind === 'inverse').map((field) => relationForm(field, path)),
    inStored: linkageKeys(model),
    resources: model.resources.filter((field) => isReadable(view, field)).map((field) => field.wire),
    linksInValues: model.values.some((field) => field.resources !== undefined),
  })
}

function relationForm<F extends RelationField>(field: F, path: string): RelationForm<F> {
  const { wire } = field
  const identifier = identifierOpen(field.target)
  return Object.freeze({
    field,
    wire,
    open: `"${wire}":{"links":{"self":"${path}`,
    toRelated: `/relationships/${wire}","related":"${path}`,
    toOne: `/${wire}"},"data":${identifier}`,
    toMany: `/${wire}"},"data":[${identifier}`,
    identifier,
    betweenIds: `"},${identifier}"`,
    address: (segment: string) => `${path}${segment}/relationships/${wire}`,
  })
}

/** Names are checked when models are described: they need no escapes. */
export function identifierOpen({ plural }: ModelDescription): string {
  return `{"type":"${plural}","id":`
}
